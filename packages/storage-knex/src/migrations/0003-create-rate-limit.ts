import { createTable, type Migration } from "./migration.ts";

/**
 * `tat` is the theoretical arrival time of the generic cell rate algorithm, in microseconds since
 * the epoch.
 */
export const createRateLimit: Migration = {
  name: "0003-create-rate-limit",
  part: "always",
  tables: ["rate_limit"],
  up: (types) =>
    createTable(
      types,
      "rate_limit",
      // 191 characters of at most four bytes each.
      [`limit_key ${types.key(764)} NOT NULL PRIMARY KEY`, `tat ${types.bigint} NOT NULL`],
      [{ name: "by_tat", columns: "tat" }],
    ),
  down: () => ["DROP TABLE IF EXISTS rate_limit"],
};
