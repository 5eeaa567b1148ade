import { dropTables, firstSchema } from "./first-schema.ts";
import { type ColumnTypes, createTable, type Migration, type Step, unique } from "./migration.ts";

/**
 * On SQLite, the keys of events are no unique index of `inbox_event`, because that costs a random page
 * for each event (ADR 35).
 *
 * - `event_key_log`: the hash of each event's key, in the order of the commits.
 * - `event_key`: the same, sorted by hash. Rows of the log move there.
 */
const keyTables = (types: ColumnTypes): readonly Step[] =>
  types.server !== "sqlite"
    ? []
    : [
        ...createTable(types, "event_key_log", [
          "place INTEGER PRIMARY KEY AUTOINCREMENT",
          "hash INTEGER NOT NULL",
          "event INTEGER NOT NULL",
        ]),
        "CREATE TABLE IF NOT EXISTS `event_key` (hash INTEGER NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (hash, event)) WITHOUT ROWID",
      ];

/** What finds repeats on a server. */
const uniqueKeys: Readonly<Record<ColumnTypes["server"], readonly string[]>> = {
  sqlite: [],
  mariadb: ["UNIQUE KEY dedupe_key (provider, dedupe_key)"],
  mysql: ["UNIQUE KEY dedupe_key (provider, dedupe_key)"],
  postgres: ["UNIQUE (provider, dedupe_key)"],
};

/**
 * MySQL does not read rows in the order of an index of a `MEDIUMTEXT`, which can only have the text's
 * beginning (docs/performance/storage.md). So the events of a type are found by a hash of it there.
 */
const typeHash = "`type_hash` INT UNSIGNED GENERATED ALWAYS AS (CRC32(type)) VIRTUAL";

/**
 * `disposition` is 0 for accepted, 1 for ignored, 2 for quarantined. `body_dropped` is 1 once
 * retention has emptied body and headers; the index `retention` finds the events that are old enough,
 * among those with a body and among those without. `outside` is JSON: what a sender said outside of
 * body and headers. `overruled` says why an event was quarantined that an operator let run all the
 * same. Nearly every event has neither.
 */
const eventTable = (types: ColumnTypes): readonly Step[] => {
  const { server, hasPartialIndexes, ascii, longText, key, longBytes, bigint, integer } = types;
  return createTable(
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
      `body_dropped ${integer} NOT NULL DEFAULT 0`,
      `outside ${longText} NULL`,
      `overruled ${longText} NULL`,
      ...(hasPartialIndexes ? [] : [typeHash]),
      ...uniqueKeys[server],
    ],
    [
      { name: "by_provider", columns: "provider, id" },
      hasPartialIndexes ? { name: "by_type", columns: "type, id" } : { name: "by_type_hash", columns: "type_hash, id" },
      { name: "by_disposition", columns: "disposition, id", where: "disposition <> 0" },
      { name: "retention", columns: "body_dropped, received_at" },
    ],
  );
};

/** Senders that you add while the server runs, and their keys. Secrets are encrypted. */
const providerTables = (types: ColumnTypes): readonly Step[] => {
  const { id, moment, text, longText, integer, boolean } = types;
  const own = [`id ${id} NOT NULL PRIMARY KEY`, `revision ${integer} NOT NULL`];
  const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
  return [
    ...createTable(types, "webhook_providers", [
      ...own,
      `name ${text(64)} NOT NULL`,
      `scheme ${text(64)} NOT NULL`,
      `definition ${longText} NOT NULL`,
      `sealed_settings ${longText} NULL`,
      // Whether secrets under 16 bytes are accepted.
      `allow_short ${boolean} NOT NULL DEFAULT 1`,
      ...times,
      unique(types, "name"),
    ]),
    ...createTable(
      types,
      "webhook_keys",
      [
        ...own,
        `provider_id ${id} NOT NULL`,
        `key_id ${text(255)} NULL`,
        `sealed_key ${longText} NOT NULL`,
        `not_before ${moment} NOT NULL`,
        `not_after ${moment} NULL`,
        ...times,
        "FOREIGN KEY (provider_id) REFERENCES webhook_providers (id) ON DELETE CASCADE",
      ],
      [{ name: "provider_id", columns: "provider_id, id" }],
    ),
  ];
};

/** What is kept about events. */
const aboutEvents = (types: ColumnTypes): readonly Step[] => {
  const { id, text, ascii, longText, bigint, integer, serial } = types;
  return [
    // What targets answered when events were forwarded to them.
    ...createTable(
      types,
      "forward_attempt",
      [
        `id ${serial}`,
        `event_ref ${bigint} NOT NULL`,
        `handler ${ascii(128)} NOT NULL`,
        `attempt ${integer} NOT NULL`,
        `at ${bigint} NOT NULL`,
        `ms ${bigint} NOT NULL`,
        `status ${integer} NULL`,
        `headers ${longText} NOT NULL`,
        `body ${longText} NOT NULL`,
        `error ${longText} NULL`,
      ],
      [{ name: "by_event", columns: "event_ref, id" }],
    ),
    // Replays and discards of many events. `details` is JSON: what was asked for, what it would do, and how
    // far it has come. There are few rows, so only the key is an index.
    ...createTable(types, "event_plan", [
      `id ${id} NOT NULL PRIMARY KEY`,
      `state ${ascii(16)} NOT NULL`,
      `created_at ${bigint} NOT NULL`,
      `details ${longText} NOT NULL`,
    ]),
    // What people have noted about events. The ids rise, so the key gives the notes of an event in order.
    ...createTable(types, "event_note", [
      `event_ref ${bigint} NOT NULL`,
      `id ${id} NOT NULL`,
      `at ${bigint} NOT NULL`,
      `author ${text(128)} NOT NULL`,
      `note ${longText} NOT NULL`,
      "PRIMARY KEY (event_ref, id)",
    ]),
  ];
};

const tables = [
  "inbox_event",
  "event_key_log",
  "event_key",
  "webhook_providers",
  "webhook_keys",
  "forward_attempt",
  "event_plan",
  "event_note",
];

/** The inbox. Times are milliseconds since the epoch, and RFC 3339 in the tables of senders. */
export const createInbox: Migration = {
  name: `${firstSchema}-create-inbox`,
  part: "inbox",
  tables,
  up: (types) => [...eventTable(types), ...keyTables(types), ...providerTables(types), ...aboutEvents(types)],
  down: () => dropTables(tables),
};
