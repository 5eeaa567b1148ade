import { createTable, type Migration } from "./migration.ts";

/**
 * What happened over time: a row for each bucket of a minute, an hour and a day, and each sender.
 * `counts` is JSON. The key begins with the step and the time, because a span is read and old buckets
 * are deleted.
 */
export const createCounts: Migration = {
  name: "0048-create-counts",
  part: "always",
  tables: ["count_bucket"],
  up: (types) =>
    createTable(types, "count_bucket", [
      `step ${types.ascii(16)} NOT NULL`,
      `at ${types.bigint} NOT NULL`,
      `provider ${types.ascii(64)} NOT NULL`,
      `counts ${types.longText} NOT NULL`,
      "PRIMARY KEY (step, provider, at)",
    ]),
  down: () => ["DROP TABLE IF EXISTS count_bucket"],
};
