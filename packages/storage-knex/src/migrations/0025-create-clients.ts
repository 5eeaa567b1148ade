import { listIndexes } from "./list-indexes.ts";
import { createTable, type Migration } from "./migration.ts";

/** OAuth 2 clients, and what users allowed them. */
export const createClients: Migration = {
  name: "0025-create-clients",
  part: "users",
  tables: ["oauth_clients", "grants"],
  up: (types) => {
    const { id, moment, text, ascii, json, integer } = types;
    const own = [`id ${id} NOT NULL PRIMARY KEY`, `revision ${integer} NOT NULL`, `user_id ${id} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    const reference = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";
    const indexes = [
      { name: "user_id", columns: "user_id, id" },
      ...listIndexes(["created_at", "updated_at"], "user_id"),
      ...listIndexes(["created_at", "updated_at"]),
    ];
    return [
      ...createTable(
        types,
        "oauth_clients",
        [
          ...own,
          `name ${text(100)} NOT NULL`,
          `kind ${ascii(20)} NOT NULL`,
          `scopes ${json} NOT NULL`,
          `redirect_uris ${json} NOT NULL`,
          `secret_digest ${ascii(255)} NULL`,
          `last_used_at ${moment} NULL`,
          ...times,
          reference,
        ],
        indexes,
      ),
      ...createTable(
        types,
        "grants",
        [
          ...own,
          `client_id ${text(36)} NOT NULL`,
          `client_name ${text(100)} NOT NULL`,
          `scopes ${json} NOT NULL`,
          `redirect_uri ${text(2_000)} NOT NULL`,
          `challenge ${ascii(255)} NOT NULL`,
          `code_digest ${ascii(255)} NOT NULL`,
          `family_digest ${ascii(255)} NULL`,
          `refresh_digest ${ascii(255)} NULL`,
          `last_used_at ${moment} NOT NULL`,
          `expires_at ${moment} NOT NULL`,
          ...times,
          reference,
        ],
        indexes,
      ),
    ];
  },
  down: () => ["grants", "oauth_clients"].map((table) => `DROP TABLE IF EXISTS \`${table}\``),
};
