import { accountBounds, type BoundRange } from "@postern/app";

/** The members of `limits` in the configuration file that have a least and a greatest value. */
export const rangedLimits = {
  ...accountBounds,
  /** The longest token of another issuer, and the longest assertion of a client. */
  foreignTokenCharacters: { standard: 16_384, least: 1_024, most: 65_536 },
  /** How long a webhook waits until it is stored. No sender waits for longer than 30 s. */
  webhookWaitMs: { standard: 4_500, least: 100, most: 30_000 },
  /** How long a write waits for its turn on SQLite. */
  writeWaitMs: { standard: 2_000, least: 100, most: 30_000 },
} as const satisfies Readonly<Record<string, BoundRange>>;

/** The others that are whole numbers, of at least 1. */
export const limitNames = [
  "accessTokenSeconds",
  "alertMs",
  "alertsWaiting",
  "answerBytes",
  "answerRows",
  "answersBytes",
  "answersWaitMs",
  "answersWaiting",
  "exportBytes",
  "exportsPerDay",
  "grantsPerUser",
  "handlerStopMs",
  "hashesAtOnce",
  "hashesWaiting",
  "hashesWaitingOfNetwork",
  "jobEndMs",
  "jobEndTries",
  "keptAnswerBytes",
  "keysPerUser",
  "largestLogBytes",
  "leastFreeBytes",
  "mailTries",
  "requestsAtOnce",
  "requestsWaiting",
  "sessionMostSeconds",
  "sessionSeconds",
  "sessionsPerUser",
  "signingKeySeconds",
  "statementMs",
  "stopJobsMs",
  "stopRequestsMs",
] as const;

/** The members of `http` in the configuration file. */
export const httpLimitNames = [
  "headersLimitBytes",
  "jsonLimitValues",
  "maxConnections",
  "maxConnectionsPerAddress",
  "maxInFlight",
  "memoryLimitBytes",
  "requestTimeoutMs",
  "urlLimitBytes",
] as const;

/** Members of `http` that a file of an older version may have, and what to do or what holds in their place. */
export const removedHttpNames: ReadonlyMap<string, string> = new Map([
  ["handshakeTimeoutMs", "a third of requestTimeoutMs"],
  ["headersTimeoutMs", "a third of requestTimeoutMs"],
  ["keepAliveTimeoutMs", "set the environment variable POSTERN_KEEP_ALIVE"],
  ["leastUploadRate", "1,024 bytes a second"],
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
  ["waitingLimitBytes", "as much as memoryLimitBytes"],
  ["waitingLimitBytesPerAddress", "a quarter of memoryLimitBytes"],
  ["webhookLimitValues", "a webhook may have 100,000 members and elements"],
]);
