import { listIndexes } from "./list-indexes.ts";
import { createTable, type Migration, unique } from "./migration.ts";

/** Users and their sessions. Each column has the name of its field. */
export const createUsers: Migration = {
  name: "0001a-create-users",
  formerly: "0001-create-resources",
  part: "users",
  tables: ["users", "sessions"],
  up: (types) => {
    const { id, moment, text, ascii, json, integer } = types;
    const own = [`revision ${integer} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    const ownerKey = "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE";
    return [
      ...createTable(
        types,
        "users",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          ...own,
          `name ${text(200)} NOT NULL`,
          `email ${text(254)} NOT NULL`,
          `password ${ascii(255)} NOT NULL`,
          `phone ${text(40)} NULL`,
          `address ${text(500)} NULL`,
          `preferences ${json} NOT NULL`,
          `subscription ${json} NOT NULL`,
          `role ${ascii(64)} NOT NULL`,
          ...times,
          unique(types, "email"),
        ],
        listIndexes(["name", "created_at", "updated_at"]),
      ),
      ...createTable(
        types,
        "sessions",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          ...own,
          `user_id ${id} NOT NULL`,
          `refresh_digest ${ascii(255)} NOT NULL`,
          `last_used_at ${moment} NOT NULL`,
          `expires_at ${moment} NOT NULL`,
          ...times,
          ownerKey,
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          ...listIndexes(["created_at", "updated_at"], "user_id"),
          ...listIndexes(["created_at", "updated_at"]),
        ],
      ),
    ];
  },
  down: () => ["sessions", "users"].map((table) => `DROP TABLE IF EXISTS ${table}`),
};
