import { addKey, dropKey, type Migration, onlyOnMysql } from "./migration.ts";

/**
 * On MySQL and MariaDB, the events of a type in the order of their ids, for lists. The older index
 * had the first 96 characters of the type, because a `MEDIUMTEXT` cannot be indexed as a whole, and
 * the server does not read rows in the order of such an index (docs/performance/storage.md).
 *
 * The column is virtual, so the server adds it without writing a row. Its index is filled while
 * events are accepted.
 */
export const indexEventsByTypeHash: Migration = {
  name: "0038-index-events-by-type-hash",
  part: "inbox",
  ...onlyOnMysql({
    up: [
      {
        sql: "ALTER TABLE `inbox_event` ADD COLUMN `type_hash` INT UNSIGNED GENERATED ALWAYS AS (CRC32(type)) VIRTUAL",
        table: "inbox_event",
        column: "type_hash",
      },
      addKey("inbox_event", "by_type_hash", "type_hash, id"),
      dropKey("inbox_event", "by_type"),
    ],
    down: ["ALTER TABLE `inbox_event` ADD KEY `by_type` (type(96)), DROP KEY `by_type_hash`, DROP COLUMN `type_hash`"],
  }),
};
