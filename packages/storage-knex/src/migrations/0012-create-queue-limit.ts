import { createTable, type Migration } from "./migration.ts";

/**
 * A row for each queue that has a limit over all runners. A claim locks this row while it counts
 * the running jobs of the queue.
 */
export const createQueueLimit: Migration = {
  name: "0012-create-queue-limit",
  part: "always",
  tables: ["queue_limit"],
  up: (types) => createTable(types, "queue_limit", [`queue ${types.ascii(64)} NOT NULL PRIMARY KEY`]),
  down: () => ["DROP TABLE IF EXISTS queue_limit"],
};
