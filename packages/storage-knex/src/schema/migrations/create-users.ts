import { dropTables, firstSchema } from "./first-schema.ts";
import { listIndexes } from "./list-indexes.ts";
import { type ColumnTypes, createTable, type Index, type Migration, type Step, unique } from "./migration.ts";

const times = ["created_at", "updated_at"];
const byUser: Index = { name: "user_id", columns: "user_id, id" };
const ownerKey = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";

/** The columns that every row has, with those of its own between them. */
const withOwn = (
  { id, integer, moment }: ColumnTypes,
  columns: readonly string[],
  constraints: readonly string[] = [ownerKey],
): readonly string[] => [
  `id ${id} NOT NULL PRIMARY KEY`,
  `revision ${integer} NOT NULL`,
  ...columns,
  `created_at ${moment} NOT NULL`,
  `updated_at ${moment} NOT NULL`,
  ...constraints,
];

/** What sessions and grants know of the last exchange of their refresh token. */
const successorOf = ({ ascii, longText, moment }: ColumnTypes): readonly string[] => [
  `previous_digest ${ascii(255)} NULL`,
  `successor ${longText} NULL`,
  `successor_until ${moment} NULL`,
];
const bySuccessor: Index = { name: "successor_until", columns: "successor_until" };

const accountTables = (types: ColumnTypes): readonly Step[] => {
  const { id, moment, text, ascii, json, longText, bigint } = types;
  return [
    // `verified_email` is the address that the user last verified, `trusted_email` the one that the account
    // got because an outside issuer was trusted, without a proof.
    ...createTable(
      types,
      "users",
      withOwn(
        types,
        [
          `name ${text(200)} NOT NULL`,
          `email ${text(254)} NOT NULL`,
          `verified_email ${text(254)} NULL`,
          `trusted_email ${text(254)} NULL`,
          `password ${ascii(255)} NOT NULL`,
          `second_factor_at ${moment} NULL`,
          `phone ${text(40)} NULL`,
          `address ${text(500)} NULL`,
          `preferences ${json} NOT NULL`,
          `subscription ${json} NOT NULL`,
          `role ${ascii(64)} NOT NULL`,
        ],
        [unique(types, "email")],
      ),
      listIndexes(["name", ...times]),
    ),
    // `device` and `address` are the program and the address from which a session was last used.
    ...createTable(
      types,
      "sessions",
      withOwn(types, [
        `user_id ${id} NOT NULL`,
        `device ${text(64)} NULL`,
        `address ${text(64)} NULL`,
        `refresh_digest ${ascii(255)} NOT NULL`,
        ...successorOf(types),
        `last_used_at ${moment} NOT NULL`,
        `expires_at ${moment} NOT NULL`,
      ]),
      [byUser, ...listIndexes(times, "user_id"), ...listIndexes(times), bySuccessor],
    ),
    // API keys, by their digests.
    ...createTable(
      types,
      "api_keys",
      withOwn(types, [
        `user_id ${id} NOT NULL`,
        `name ${text(100)} NOT NULL`,
        `scopes ${json} NOT NULL`,
        `secret_digest ${ascii(255)} NOT NULL`,
        `expires_at ${moment} NULL`,
        `last_used_at ${moment} NULL`,
      ]),
      [byUser, ...listIndexes(times, "user_id"), ...listIndexes(times)],
    ),
    // Digests of the tokens in mailed links.
    ...createTable(
      types,
      "account_tokens",
      withOwn(types, [
        `user_id ${id} NULL`,
        `purpose ${ascii(64)} NOT NULL`,
        `subject_digest ${ascii(255)} NOT NULL`,
        `secret_digest ${ascii(255)} NOT NULL`,
        `sealed ${longText} NULL`,
        `failures ${bigint} NOT NULL`,
        `expires_at ${moment} NOT NULL`,
      ]),
      [byUser, { name: "subject_digest", columns: "subject_digest, id" }, ...listIndexes(["expires_at"])],
    ),
    // The keys that sign access tokens. `place` is `active`, `next` or empty. At most one key is active, and
    // at most one is next.
    ...createTable(types, "signing_key", [
      `kid ${ascii(64)} NOT NULL PRIMARY KEY`,
      `place ${ascii(8)} NULL`,
      `public_key ${longText} NOT NULL`,
      `sealed_key ${longText} NULL`,
      `created_at ${bigint} NOT NULL`,
      `active_from ${bigint} NULL`,
      `ends_at ${bigint} NULL`,
      unique(types, "place"),
    ]),
    // The ids are those of the users.
    ...createTable(
      types,
      "second_factors",
      withOwn(types, [
        `user_id ${id} NOT NULL`,
        `sealed_secret ${ascii(255)} NOT NULL`,
        `confirmed_at ${moment} NULL`,
        `last_step ${bigint} NOT NULL`,
        `recovery_digests ${json} NOT NULL`,
      ]),
      [byUser],
    ),
  ];
};

/** OAuth 2 clients, what users allowed them, and the accounts of users at outside issuers. */
const clientTables = (types: ColumnTypes): readonly Step[] => {
  const { id, moment, text, ascii, json } = types;
  return [
    ...createTable(
      types,
      "oauth_clients",
      withOwn(types, [
        `user_id ${id} NOT NULL`,
        `name ${text(100)} NOT NULL`,
        `kind ${ascii(20)} NOT NULL`,
        `scopes ${json} NOT NULL`,
        `redirect_uris ${json} NOT NULL`,
        `grant_types ${json} NOT NULL`,
        `secret_digest ${ascii(255)} NULL`,
        `jwks ${json} NULL`,
        `last_used_at ${moment} NULL`,
      ]),
      [byUser],
    ),
    ...createTable(
      types,
      "grants",
      withOwn(types, [
        `user_id ${id} NOT NULL`,
        `client_id ${text(36)} NOT NULL`,
        `client_name ${text(100)} NOT NULL`,
        `scopes ${json} NOT NULL`,
        `redirect_uri ${text(2_000)} NOT NULL`,
        `challenge ${ascii(255)} NOT NULL`,
        `code_digest ${ascii(255)} NOT NULL`,
        `family_digest ${ascii(255)} NULL`,
        `refresh_digest ${ascii(255)} NULL`,
        ...successorOf(types),
        `last_used_at ${moment} NOT NULL`,
        `expires_at ${moment} NOT NULL`,
      ]),
      [byUser, ...listIndexes(times, "user_id"), ...listIndexes(times), bySuccessor],
    ),
    // `client_id` is the client that a program at an issuer acts as; null for the account of a person. Links
    // that were ended stay, so that no token creates them again.
    ...createTable(
      types,
      "outside_identities",
      withOwn(
        types,
        [
          `user_id ${id} NOT NULL`,
          `client_id ${text(36)} NULL`,
          `issuer ${text(255)} NOT NULL`,
          `subject ${text(255)} NOT NULL`,
          `identity ${text(64)} NOT NULL`,
          `state ${ascii(64)} NOT NULL DEFAULT 'linked'`,
        ],
        [unique(types, "identity"), ownerKey],
      ),
      [byUser, ...listIndexes(times, "user_id")],
    ),
    // The assertions that clients signed and have already used.
    ...createTable(
      types,
      "used_assertions",
      withOwn(
        types,
        [
          `user_id ${id} NOT NULL`,
          `client_id ${id} NOT NULL`,
          `assertion ${text(64)} NOT NULL`,
          `expires_at ${moment} NOT NULL`,
        ],
        [
          unique(types, "assertion"),
          ownerKey,
          "FOREIGN KEY (client_id) REFERENCES oauth_clients (id) ON DELETE CASCADE",
        ],
      ),
      [byUser, { name: "client_id", columns: "client_id, id" }],
    ),
  ];
};

/** The archives of users' data, in encrypted pieces. */
const exportTables = (types: ColumnTypes): readonly Step[] => {
  const { id, moment, text, ascii, longText, bigint } = types;
  return [
    ...createTable(
      types,
      "user_exports",
      withOwn(types, [
        `user_id ${id} NOT NULL`,
        `state ${ascii(64)} NOT NULL`,
        `reason ${text(255)} NULL`,
        `bytes ${bigint} NULL`,
        `expires_at ${moment} NOT NULL`,
      ]),
      [byUser, ...listIndexes(["expires_at"])],
    ),
    ...createTable(
      types,
      "user_export_pieces",
      withOwn(
        types,
        [
          `user_id ${id} NOT NULL`,
          `export_id ${id} NOT NULL`,
          `place ${bigint} NOT NULL`,
          `sealed ${longText} NOT NULL`,
        ],
        [ownerKey, "FOREIGN KEY (export_id) REFERENCES user_exports (id) ON DELETE CASCADE"],
      ),
      [byUser, { name: "export_id", columns: "export_id, place, id" }],
    ),
  ];
};

const tables = [
  "users",
  "sessions",
  "api_keys",
  "account_tokens",
  "signing_key",
  "second_factors",
  "oauth_clients",
  "grants",
  "outside_identities",
  "used_assertions",
  "user_exports",
  "user_export_pieces",
];

/** Users and what belongs to them. Each column has the name of its field. */
export const createUsers: Migration = {
  name: `${firstSchema}-create-users`,
  part: "users",
  tables,
  up: (types) => [...accountTables(types), ...clientTables(types), ...exportTables(types)],
  down: () => dropTables(tables),
};
