import { createTable, type Migration } from "./migration.ts";

/** What targets answered when events were forwarded to them. */
export const createForwardAttempt: Migration = {
  name: "0007-create-forward-attempt",
  part: "inbox",
  tables: ["forward_attempt"],
  up: (types) =>
    createTable(
      types,
      "forward_attempt",
      [
        `id ${types.serial}`,
        `event_ref ${types.bigint} NOT NULL`,
        `handler ${types.ascii(128)} NOT NULL`,
        `attempt ${types.integer} NOT NULL`,
        `at ${types.bigint} NOT NULL`,
        `ms ${types.bigint} NOT NULL`,
        `status ${types.integer} NULL`,
        `headers ${types.longText} NOT NULL`,
        `body ${types.longText} NOT NULL`,
        `error ${types.longText} NULL`,
      ],
      [{ name: "by_event", columns: "event_ref, id" }],
    ),
  down: () => ["DROP TABLE IF EXISTS forward_attempt"],
};
