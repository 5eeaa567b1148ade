import { createTable, type Migration } from "./migration.ts";

/**
 * Counts how often clients use deprecated things, for each client, agent and day. A text of the
 * primary key has at most 64 characters of up to four bytes.
 */
export const createDeprecatedUse: Migration = {
  name: "0008-create-deprecated-use",
  part: "always",
  tables: ["deprecated_use"],
  up: (types) =>
    createTable(
      types,
      "deprecated_use",
      [
        `deprecation ${types.key(256)} NOT NULL`,
        `client ${types.key(256)} NOT NULL`,
        `agent ${types.key(256)} NOT NULL`,
        `day ${types.ascii(10)} NOT NULL`,
        `calls ${types.bigint} NOT NULL`,
        `first_at ${types.bigint} NOT NULL`,
        `last_at ${types.bigint} NOT NULL`,
        "PRIMARY KEY (deprecation, client, agent, day)",
      ],
      [{ name: "by_day", columns: "day" }],
    ),
  down: () => ["DROP TABLE IF EXISTS deprecated_use"],
};
