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

/** The members of `http` in the configuration file. */
export const httpLimitNames = [
  "maxConnections",
  "maxConnectionsPerAddress",
  "maxInFlight",
  "memoryLimitBytes",
  "requestTimeoutMs",
] as const;
