import { createTable, type Migration } from "./migration.ts";

const uniqueKeys = "UNIQUE (provider, dedupe_key)";

/**
 * On SQLite, the keys of events move out of a unique index of `inbox_event`, because it cost a
 * random page for each event.
 *
 * - `event_key_log`: the hash of each event's key, in the order of the commits.
 * - `event_key`: the same, sorted by hash. Rows of the log move there.
 * - `inbox_event_before_log`: the former unique index. From now on it covers only the events that
 *   it holds today. It is not rebuilt; only its entry in the schema changes. The index of the
 *   table's UNIQUE becomes an index with a condition. All events before the next id meet the
 *   condition, and no later event does, so the content of the index stays correct.
 */
export const logEventKeys: Migration = {
  name: "0029-log-event-keys",
  part: "inbox",
  tables: ["event_key_log", "event_key"],
  up: (types) =>
    types.server !== "sqlite"
      ? []
      : [
          "PRAGMA writable_schema = ON",
          // One statement changes both entries: SQLite cannot read a table that says UNIQUE and has
          // no such index.
          `UPDATE sqlite_schema SET
             sql = CASE type
               WHEN 'table' THEN replace(sql, ',\n  ${uniqueKeys}', '')
               ELSE 'CREATE UNIQUE INDEX \`inbox_event_before_log\` ON \`inbox_event\` (provider, dedupe_key) WHERE id < '
                 || max((SELECT next FROM id_block WHERE name = 'event'), (SELECT ifnull(max(id), 0) + 1 FROM inbox_event)) END,
             name = CASE type WHEN 'table' THEN name ELSE 'inbox_event_before_log' END
           WHERE name IN ('inbox_event', 'sqlite_autoindex_inbox_event_1', 'inbox_event_dedupe_key')`,
          "PRAGMA writable_schema = RESET",
          // This also tells other connections that the schema has changed.
          ...createTable(types, "event_key_log", [
            "place INTEGER PRIMARY KEY AUTOINCREMENT",
            "hash INTEGER NOT NULL",
            "event INTEGER NOT NULL",
          ]),
          "CREATE TABLE IF NOT EXISTS `event_key` (hash INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (hash, event)) WITHOUT ROWID",
        ],
  down: ({ server }) =>
    server !== "sqlite"
      ? []
      : [
          "CREATE UNIQUE INDEX IF NOT EXISTS `inbox_event_dedupe_key` ON `inbox_event` (provider, dedupe_key)",
          "DROP INDEX IF EXISTS `inbox_event_before_log`",
          "DROP TABLE IF EXISTS `event_key`",
          "DROP TABLE IF EXISTS `event_key_log`",
        ],
};
