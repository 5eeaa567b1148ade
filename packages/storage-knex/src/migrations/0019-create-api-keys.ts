import { listIndexes } from "./list-indexes.ts";
import { createTable, type Migration } from "./migration.ts";

/** API keys of users, by their digests. */
export const createApiKeys: Migration = {
  name: "0019-create-api-keys",
  part: "users",
  tables: ["api_keys"],
  up: (types) => {
    const { id, moment, text, ascii, json, integer } = types;
    return createTable(
      types,
      "api_keys",
      [
        `id ${id} NOT NULL PRIMARY KEY`,
        `revision ${integer} NOT NULL`,
        `user_id ${id} NOT NULL`,
        `name ${text(100)} NOT NULL`,
        `scopes ${json} NOT NULL`,
        `secret_digest ${ascii(255)} NOT NULL`,
        `expires_at ${moment} NULL`,
        `last_used_at ${moment} NULL`,
        `created_at ${moment} NOT NULL`,
        `updated_at ${moment} NOT NULL`,
        "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
      ],
      [
        { name: "user_id", columns: "user_id, id" },
        ...listIndexes(["created_at", "updated_at"], "user_id"),
        ...listIndexes(["created_at", "updated_at"]),
      ],
    );
  },
  down: () => ["DROP TABLE IF EXISTS api_keys"],
};
