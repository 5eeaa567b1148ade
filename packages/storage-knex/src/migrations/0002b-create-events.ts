import { createTable, type Migration } from "./migration.ts";

/**
 * The inbox. Times are milliseconds since the epoch. `disposition` is 0 for accepted, 1 for
 * ignored, 2 for quarantined.
 */
export const createEvents: Migration = {
  name: "0002b-create-events",
  formerly: "0002-create-inbox",
  part: "inbox",
  tables: ["inbox_event"],
  up: (types) => {
    const { hasPartialIndexes, ascii, longText, key, longBytes, bigint, integer } = types;
    // MySQL indexes a text column only up to a given length.
    const typePrefix = hasPartialIndexes ? "type, id" : "type(96)";
    return [
      ...createTable(
        types,
        "inbox_event",
        [
          `id ${bigint} NOT NULL PRIMARY KEY`,
          `provider ${ascii(64)} NOT NULL`,
          `dedupe_key ${key(191)} NOT NULL`,
          `event_id ${longText} NULL`,
          `type ${longText} NULL`,
          `body ${longBytes} NOT NULL`,
          `headers ${longText} NOT NULL`,
          `body_sha256 ${ascii(64)} NOT NULL`,
          `occurred_at ${bigint} NULL`,
          `received_at ${bigint} NOT NULL`,
          `disposition ${integer} NOT NULL`,
          `reason ${longText} NULL`,
          `repeats ${integer} NOT NULL`,
          hasPartialIndexes ? "UNIQUE (provider, dedupe_key)" : "UNIQUE KEY dedupe_key (provider, dedupe_key)",
        ],
        [
          { name: "by_provider", columns: "provider, id" },
          { name: "by_type", columns: typePrefix },
          { name: "by_disposition", columns: "disposition, id", where: "disposition <> 0" },
        ],
      ),
    ];
  },
  down: () => ["DROP TABLE IF EXISTS inbox_event"],
};
