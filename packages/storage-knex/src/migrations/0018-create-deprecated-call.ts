import { createTable, type Migration } from "./migration.ts";

const columns = "deprecation, client, agent, operation, kind, day, calls, first_at, last_at";

/** PostgreSQL has no rows to copy: it came with a later version. */
const ignoring = { sqlite: "OR IGNORE", mariadb: "IGNORE", mysql: "IGNORE", postgres: "" } as const;

/**
 * Counts how often clients use deprecated things, for each client, operation and kind of use: the
 * client asked for the thing, or the server sent it unasked. This table replaces `deprecated_use`,
 * whose key has no operation and kind. All uses in that table were asked for. A later step drops
 * it.
 */
export const createDeprecatedCall: Migration = {
  name: "0018-create-deprecated-call",
  part: "always",
  tables: ["deprecated_call"],
  up: (types) => [
    ...createTable(
      types,
      "deprecated_call",
      [
        `deprecation ${types.key(256)} NOT NULL`,
        `client ${types.key(256)} NOT NULL`,
        `agent ${types.key(256)} NOT NULL`,
        `operation ${types.ascii(64)} NOT NULL`,
        `kind ${types.ascii(8)} NOT NULL`,
        `day ${types.ascii(10)} NOT NULL`,
        `calls ${types.bigint} NOT NULL`,
        `first_at ${types.bigint} NOT NULL`,
        `last_at ${types.bigint} NOT NULL`,
        "PRIMARY KEY (deprecation, client, agent, operation, kind, day)",
      ],
      [{ name: "by_day", columns: "day" }],
    ),
    `INSERT ${ignoring[types.server]} INTO deprecated_call (${columns})
      SELECT deprecation, client, agent, '', 'asked', day, calls, first_at, last_at FROM deprecated_use`,
  ],
  down: () => ["DROP TABLE IF EXISTS deprecated_call"],
};
