import { listIndexes } from "./list-indexes.ts";
import { addColumn, createTable, type Migration, unique } from "./migration.ts";

/** The public keys of clients, and the assertions that clients signed and have already used. */
export const createUsedAssertions: Migration = {
  name: "0027-create-used-assertions",
  part: "users",
  tables: ["used_assertions"],
  up: (types) => {
    const { id, moment, text, integer, json } = types;
    return [
      ...addColumn(types, "oauth_clients", { name: "jwks", type: `${json} NULL` }),
      ...createTable(
        types,
        "used_assertions",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          `revision ${integer} NOT NULL`,
          `user_id ${id} NOT NULL`,
          `client_id ${id} NOT NULL`,
          `assertion ${text(64)} NOT NULL`,
          `expires_at ${moment} NOT NULL`,
          `created_at ${moment} NOT NULL`,
          `updated_at ${moment} NOT NULL`,
          unique(types, "assertion"),
          "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
          "FOREIGN KEY (client_id) REFERENCES oauth_clients (id) ON DELETE CASCADE",
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          { name: "client_id", columns: "client_id, id" },
          ...listIndexes(["expires_at", "created_at", "updated_at"], "user_id"),
          ...listIndexes(["expires_at", "created_at", "updated_at"]),
        ],
      ),
    ];
  },
  down: () => ["DROP TABLE IF EXISTS `used_assertions`", "ALTER TABLE oauth_clients DROP COLUMN jwks"],
};
