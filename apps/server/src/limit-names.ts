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
  "handshakeTimeoutMs",
  "headersLimitBytes",
  "headersTimeoutMs",
  "jsonLimitValues",
  "keepAliveTimeoutMs",
  "leastUploadRate",
  "maxBodyWaitMs",
  "maxConnections",
  "maxConnectionsPerAddress",
  "maxHeaders",
  "maxInFlight",
  "maxInFlightPerAddress",
  "maxRefusalLinesPerMinute",
  "maxRequestsPerConnection",
  "maxSlotWaitMs",
  "memoryLimitBytes",
  "memoryLimitBytesPerAddress",
  "requestTimeoutMs",
  "stalledReaderMs",
  "urlLimitBytes",
  "waitingLimitBytes",
  "waitingLimitBytesPerAddress",
  "webhookLimitValues",
] as const;

/** Members of `http` that a file of an older version may have, and what holds in their place. */
export const removedHttpNames: Readonly<Record<string, string>> = {
  maxNewConnectionsPerSecond: "an address that wastes connections gets no new one until it has paid",
  maxPipelined: "16 requests may wait behind the one that a connection answers",
  maxRefusedPerMinute: "refused requests cost an address lines of the log only (maxRefusalLinesPerMinute)",
  maxSmallChunksPerMinute: "6,000 small chunks of an address in a minute",
  maxUncountedLinesPerMinute: "ten times maxRefusalLinesPerMinute",
  maxUnansweredPerMinute: "300 connections of an address in a minute may end without an answer",
};
