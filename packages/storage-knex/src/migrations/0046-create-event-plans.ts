import { createTable, type Migration } from "./migration.ts";

/**
 * Replays and discards of many events. `details` is JSON: what was asked for, what it would do, and
 * how far it has come. There are few rows, so only the key is an index.
 */
export const createEventPlans: Migration = {
  name: "0046-create-event-plans",
  part: "inbox",
  tables: ["event_plan"],
  up: (types) =>
    createTable(types, "event_plan", [
      `id ${types.id} NOT NULL PRIMARY KEY`,
      `state ${types.ascii(16)} NOT NULL`,
      `created_at ${types.bigint} NOT NULL`,
      `details ${types.longText} NOT NULL`,
    ]),
  down: () => ["DROP TABLE IF EXISTS event_plan"],
};
