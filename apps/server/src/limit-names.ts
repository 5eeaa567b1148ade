/** The members of `limits` in the configuration file, besides `rates`. All are whole numbers of at least 1. */
export const limitNames = [
  "requestsAtOnce",
  "sessionMostSeconds",
  "sessionSeconds",
  "statementMs",
  "stopJobsMs",
] as const;

/** The rates that the configuration file sets. */
export const rateNames = ["address", "default", "sign-in", "sign-up"] as const;

/** Members of the configuration file that one of an older version may have, and what to do. */
export const removedMemberNames: ReadonlyMap<string, string> = new Map([
  [
    "retention",
    "set POSTERN_RETENTION_EVENTS, POSTERN_RETENTION_BODIES, POSTERN_RETENTION_JOBS or POSTERN_RETENTION_AUDIT",
  ],
]);

/** Members of `limits` that a file of an older version may have, and what holds in their place. */
export const removedLimitNames: ReadonlyMap<string, string> = new Map([
  ["accessTokenSeconds", "an access token lives for 10 minutes"],
  ["alertMs", "one try to send an alert takes up to 5 s"],
  ["alertsWaiting", "100 alerts wait while one is sent"],
  ["answerBytes", "an eighth of http.memoryLimitBytes"],
  ["answerRows", "an answer may have 10,000 rows"],
  ["answersBytes", "half of http.memoryLimitBytes"],
  ["answersWaitMs", "a request waits for memory for up to 2 s"],
  ["answersWaiting", "1,000 requests may wait for memory"],
  ["assertionSeconds", "a client's assertion may live for 5 minutes"],
  ["assertionsPerClient", "1,000 assertions of a client are remembered"],
  ["authorizationCodeSeconds", "an authorization code works for 60 s"],
  ["exportAuditEntries", "an archive has the newest 2,000 entries of the audit log"],
  ["exportBytes", "an eighth of http.memoryLimitBytes"],
  ["exportSeconds", "an archive can be fetched for 24 hours"],
  ["exportsPerDay", "a user can ask for three exports in a day"],
  ["failureLines", "ten lines of the log in a minute for failures that are alike"],
  ["foreignTokenCharacters", "a token of another issuer may have 16,384 characters"],
  ["grantsPerUser", "a user may have 50 grants"],
  ["handlerStopMs", "a handler that was told to stop keeps its place for 10 s"],
  ["hashesAtOnce", "two passwords are hashed at once, and one where there are at most two processors"],
  ["hashesWaiting", "400 passwords may wait"],
  ["hashesWaitingOfNetwork", "40 passwords of a network may wait"],
  ["issuerAnswerBytes", "an answer with the issuer's keys may have 256 KiB"],
  ["issuerAnswerMs", "the issuer may take 5 s to answer"],
  ["issuerFirstLookUpMs", "5 s until the first look-up has worked"],
  ["issuerKeys", "100 keys of the issuer are kept"],
  ["issuerLookUpMs", "the issuer's keys are read once a minute"],
  ["issuerWaiting", "50 requests may wait for a look-up"],
  ["jobEndMs", "the end of a job is tried for 10 minutes"],
  ["jobEndTries", "the end of a job is tried ten times"],
  ["keptAnswerBytes", "256 MiB of a user's answers are kept in 24 hours"],
  ["keysPerUser", "a user may have 50 API keys"],
  ["largestLogBytes", "256 MiB"],
  ["leastFreeBytes", "256 MiB; the metric database_free_bytes tells you earlier"],
  ["mailTries", "six tries to send a mail, within an hour"],
  ["mailedLinkSeconds", "a mailed link works for 30 minutes"],
  ["mailedLinks", "five links of a kind are valid at once"],
  ["mailedNotices", "20 notices of a kind in 30 minutes"],
  ["requestsWaiting", "15 times requestsAtOnce"],
  ["secondFactorSeconds", "a sign-in waits for the second factor for 5 minutes"],
  ["secondFactorTries", "five wrong codes"],
  ["secondFactorsWaiting", "five sign-ins of an account may wait for the second factor"],
  ["sessionsPerUser", "a user may have 20 sessions"],
  ["signingKeySeconds", "a key signs for 30 days, unless an administrator replaces it"],
  ["stateCharacters", "the state of a request to authorize may have 1,000 characters"],
  ["stopRequestsMs", "requests in flight may still take 8 s"],
  [
    "webhookWaitMs",
    "a webhook waits until it is stored for up to 4.5 s, and one of more than 256 KiB for twice as long",
  ],
  ["writeWaitMs", "a write waits for its turn on SQLite for up to 2 s"],
]);

/** The same for members of `limits.rates`. */
export const removedRateNames: ReadonlyMap<string, string> = new Map([
  ["address-change", "5 in 30 minutes"],
  ["admin-refusal", "20 in 15 minutes"],
  ["sign-in-account", "20 in 15 minutes"],
  ["sign-in-alert", "1 in 15 minutes"],
  ["sign-in-newcomer", "3 in 15 minutes"],
  ["sign-in-pair", "5 in a minute"],
  ["sign-in-pair-slower", "10 in 15 minutes"],
  ["sign-in-pair-slowest", "40 in 12 hours"],
]);

/** The members of `http` in the configuration file. */
export const httpLimitNames = [
  "maxConnections",
  "maxConnectionsPerAddress",
  "maxInFlight",
  "memoryLimitBytes",
  "requestTimeoutMs",
] as const;

/** Members of `http` that a file of an older version may have, and what to do or what holds in their place. */
export const removedHttpNames: ReadonlyMap<string, string> = new Map([
  ["handshakeTimeoutMs", "a third of requestTimeoutMs"],
  ["headersLimitBytes", "request line and headers may have 16 KiB"],
  ["headersTimeoutMs", "a third of requestTimeoutMs"],
  [
    "jsonLimitValues",
    "a JSON body may have 10,000 members and elements, and as many for each further MiB of POSTERN_BODY_LIMIT",
  ],
  ["keepAliveTimeoutMs", "set the environment variable POSTERN_KEEP_ALIVE"],
  ["leastUploadRate", "a request has requestTimeoutMs in all"],
  ["maxBodyWaitMs", "a body waits for room in memory for up to 15 s"],
  ["maxHeaders", "a request may have 100 headers"],
  ["maxInFlightPerAddress", "half of maxInFlight"],
  ["maxNewConnectionsPerSecond", "an address that wastes connections gets no new one until it has paid"],
  ["maxPipelined", "16 requests may wait behind the one that a connection answers"],
  ["maxRefusalLinesPerMinute", "60 lines of the log in a minute for refused requests of an address"],
  ["maxRefusedPerMinute", "refused requests cost an address lines of the log only"],
  ["maxRequestsPerConnection", "1,000 requests over one connection"],
  ["maxSlotWaitMs", "a request waits for a place among maxInFlight for up to 5 s"],
  ["maxSmallChunksPerMinute", "6,000 small chunks of an address in a minute"],
  ["maxUnansweredPerMinute", "300 connections of an address in a minute may end without an answer"],
  ["maxUncountedLinesPerMinute", "600 lines of the log in a minute for requests that no rate limit counts"],
  ["memoryLimitBytesPerAddress", "a quarter of memoryLimitBytes"],
  ["stalledReaderMs", "a reader may take nothing of its answer for 30 s"],
  ["urlLimitBytes", "a URL may have 8 KiB"],
  ["waitingLimitBytes", "as much as memoryLimitBytes"],
  ["waitingLimitBytesPerAddress", "a quarter of memoryLimitBytes"],
  ["webhookLimitValues", "a webhook may have 100,000 members and elements"],
]);
