import { dropTables, firstSchema } from "./first-schema.ts";
import { jobTables, vacuumSooner } from "./job-tables.ts";
import { type ColumnTypes, createTable, type Migration, type Step } from "./migration.ts";

/**
 * The audit log, whose rows are never changed, and its seals. Lists by actor and by resource use the
 * seals (ADR 31), so that a write puts its entry into only one tree.
 */
const auditTables = (types: ColumnTypes): readonly Step[] => {
  const { serial, bigint, ascii, text, longText } = types;
  return [
    ...createTable(types, "audit_log", [
      `id ${serial}`,
      `at ${bigint} NOT NULL`,
      `actor_kind ${ascii(16)} NOT NULL`,
      `actor_id ${text(128)} NULL`,
      `credential ${ascii(128)} NULL`,
      `action ${ascii(64)} NOT NULL`,
      `resource ${ascii(64)} NULL`,
      `resource_id ${ascii(64)} NULL`,
      `result ${ascii(64)} NOT NULL`,
      `request_id ${ascii(128)} NOT NULL`,
      `address ${ascii(64)} NOT NULL`,
      `fields ${longText} NOT NULL`,
    ]),
    ...createTable(
      types,
      "sealed_entry",
      [
        `place ${bigint} NOT NULL PRIMARY KEY`,
        `entry_id ${bigint} NOT NULL`,
        `digest ${ascii(64)} NOT NULL`,
        `salt ${ascii(64)} NULL`,
        `made_at ${bigint} NOT NULL`,
        `actor_id ${text(128)} NULL`,
        `resource_id ${ascii(64)} NULL`,
      ],
      [
        { name: "by_entry", columns: "entry_id", unique: true },
        { name: "by_time", columns: "made_at, place" },
        { name: "by_actor", columns: "actor_id, entry_id" },
        { name: "by_resource", columns: "resource_id, entry_id" },
      ],
    ),
    // The last seal that was pruned.
    ...createTable(types, "audit_anchor", [
      `id ${bigint} NOT NULL PRIMARY KEY`,
      `place ${bigint} NOT NULL`,
      `digest ${ascii(64)} NOT NULL`,
    ]),
    // How far tasks have come that walk the chain.
    ...createTable(types, "audit_progress", [
      `task ${ascii(32)} NOT NULL PRIMARY KEY`,
      `progress ${longText} NOT NULL`,
    ]),
  ];
};

/** What requests leave behind: limits, kept answers, uses of deprecated things, and what happened over time. */
const requestTables = (types: ColumnTypes): readonly Step[] => {
  const { id, key, ascii, longText, bigint } = types;
  return [
    // `tat` is the theoretical arrival time of the generic cell rate algorithm, in microseconds. A key has
    // 191 characters of at most four bytes each.
    ...createTable(
      types,
      "rate_limit",
      [`limit_key ${key(764)} NOT NULL PRIMARY KEY`, `tat ${bigint} NOT NULL`],
      [{ name: "by_tat", columns: "tat" }],
    ),
    ...vacuumSooner(types, ["rate_limit"]),
    // The answers that are kept for idempotency keys. `sealed` is empty while the transaction that claimed
    // the key runs.
    ...createTable(
      types,
      "kept_answer",
      [`answer_key ${key(64)} NOT NULL PRIMARY KEY`, `sealed ${longText} NOT NULL`, `expires_at ${bigint} NOT NULL`],
      [{ name: "by_expiry", columns: "expires_at" }],
    ),
    // How often clients use deprecated things: a client asked for the thing, or the server sent it unasked.
    // A text has at most 64 characters of up to four bytes.
    ...createTable(
      types,
      "deprecated_call",
      [
        `deprecation ${key(256)} NOT NULL`,
        `client ${key(256)} NOT NULL`,
        `agent ${key(256)} NOT NULL`,
        `operation ${ascii(64)} NOT NULL`,
        `kind ${ascii(8)} NOT NULL`,
        `day ${ascii(10)} NOT NULL`,
        `calls ${bigint} NOT NULL`,
        `first_at ${bigint} NOT NULL`,
        `last_at ${bigint} NOT NULL`,
        "PRIMARY KEY (deprecation, client, agent, operation, kind, day)",
      ],
      [{ name: "by_day", columns: "day" }],
    ),
    // How many webhooks came. The key begins with the minute, because the last hour is read and old minutes
    // are deleted.
    ...createTable(types, "delivery_count", [
      `minute ${bigint} NOT NULL`,
      `provider ${ascii(64)} NOT NULL`,
      `result ${ascii(16)} NOT NULL`,
      `reason ${ascii(64)} NOT NULL`,
      `deliveries ${bigint} NOT NULL`,
      "PRIMARY KEY (minute, provider, result, reason)",
    ]),
    // The last deliveries that were refused. `details` is JSON: how each was verified, and where it came
    // from. There are few rows, so only the key is an index.
    ...createTable(types, "refused_delivery", [
      `id ${id} NOT NULL PRIMARY KEY`,
      `refused_at ${bigint} NOT NULL`,
      `provider ${ascii(64)} NOT NULL`,
      `reason ${ascii(64)} NOT NULL`,
      `details ${longText} NOT NULL`,
    ]),
    // What happened over time: a row for each bucket of a minute, an hour and a day, and each sender.
    // `counts` is JSON.
    ...createTable(types, "count_bucket", [
      `step ${ascii(16)} NOT NULL`,
      `at ${bigint} NOT NULL`,
      `provider ${ascii(64)} NOT NULL`,
      `counts ${longText} NOT NULL`,
      "PRIMARY KEY (step, provider, at)",
    ]),
    // What each commit brought: events from `first_ref` to `last_ref`, or what `body` says. `place` is its
    // number in the order of the commits. It is empty until a second step numbers it.
    ...createTable(
      types,
      "feed_entry",
      [
        `id ${types.serial}`,
        `at ${bigint} NOT NULL`,
        `place ${bigint} NULL`,
        `first_ref ${bigint} NULL`,
        `last_ref ${bigint} NULL`,
        `body ${longText} NULL`,
      ],
      [{ name: "by_place", columns: "place", unique: true }],
    ),
  ];
};

/** Random numbers below 2^52. A server that repeats statements on replicas repeats the number there. */
const randomNumber: Readonly<Record<ColumnTypes["server"], string>> = {
  sqlite: "abs(random() % 4503599627370496)",
  // One RAND has 30 bits.
  mariadb: "FLOOR(RAND() * 67108864) * 67108864 + FLOOR(RAND() * 67108864)",
  mysql: "FLOOR(RAND() * 67108864) * 67108864 + FLOOR(RAND() * 67108864)",
  postgres: "CAST(floor(random() * 4503599627370496) AS bigint)",
};

/** The number by which a database is known, drawn once: see `createLineage`. */
const identityTable = (types: ColumnTypes): readonly Step[] => {
  const values = `INTO database_identity (id, number) VALUES (1, ${randomNumber[types.server]})`;
  return [
    ...createTable(types, "database_identity", [
      `id ${types.integer} NOT NULL PRIMARY KEY`,
      `number ${types.bigint} NOT NULL`,
    ]),
    types.server === "mariadb" || types.server === "mysql"
      ? `INSERT IGNORE ${values}`
      : `INSERT ${values} ON CONFLICT DO NOTHING`,
  ];
};

/** What is known about tables of resources. */
const resourceTables = (types: ColumnTypes): readonly Step[] => {
  const { id, ascii, longText } = types;
  return [
    // The tables of declared resources, with the values of their choices as last declared. The server
    // notices a resource that is no longer declared, and searches rows for a removed value only if one was
    // removed.
    ...createTable(types, "declared_table", [
      `table_name ${ascii(64)} NOT NULL PRIMARY KEY`,
      `resource ${ascii(64)} NOT NULL`,
      `choices ${longText} NOT NULL`,
    ]),
    // The columns whose texts were all brought to Unicode's normal form NFC. Writes keep them in it, so
    // they are not searched again.
    ...createTable(types, "nfc_column", [
      `table_name ${ascii(64)} NOT NULL`,
      `column_name ${ascii(64)} NOT NULL`,
      "PRIMARY KEY (table_name, column_name)",
    ]),
    // Rows that were deleted while very many rows are below them. The rows below are deleted piece by piece.
    // Until then all of them remain in their tables, but no statement on resources sees them.
    ...createTable(types, "deletion", [
      `resource ${ascii(64)} NOT NULL`,
      `row_id ${id} NOT NULL`,
      "PRIMARY KEY (resource, row_id)",
    ]),
  ];
};

const tables = [
  "job",
  "job_failure",
  "lane",
  "schedule_slot",
  "schedule_state",
  "paused_queue",
  "queue_limit",
  "runner",
  "id_block",
  "audit_log",
  "sealed_entry",
  "audit_anchor",
  "audit_progress",
  "rate_limit",
  "kept_answer",
  "deprecated_call",
  "delivery_count",
  "refused_delivery",
  "count_bucket",
  "feed_entry",
  "database_identity",
  "declared_table",
  "nfc_column",
  "deletion",
];

/** What every server has. Times are milliseconds since the epoch. */
export const createBase: Migration = {
  name: `${firstSchema}-create-base`,
  part: "always",
  tables,
  up: (types) => [
    ...jobTables(types),
    ...auditTables(types),
    ...requestTables(types),
    ...identityTable(types),
    ...resourceTables(types),
  ],
  down: () => dropTables(tables),
};
