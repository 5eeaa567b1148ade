import { listIndexes } from "./list-indexes.ts";
import { createTable, type Migration } from "./migration.ts";

/** The archives of users' data, in encrypted pieces. */
export const createUserExports: Migration = {
  name: "0030-create-user-exports",
  part: "users",
  tables: ["user_exports", "user_export_pieces"],
  up: (types) => {
    const { id, moment, text, ascii, longText, bigint, integer } = types;
    return [
      ...createTable(
        types,
        "user_exports",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          `revision ${integer} NOT NULL`,
          `user_id ${id} NOT NULL`,
          `state ${ascii(64)} NOT NULL`,
          `reason ${text(255)} NULL`,
          `bytes ${bigint} NULL`,
          `expires_at ${moment} NOT NULL`,
          `created_at ${moment} NOT NULL`,
          `updated_at ${moment} NOT NULL`,
          "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          ...listIndexes(["created_at", "updated_at"], "user_id"),
          ...listIndexes(["expires_at", "created_at", "updated_at"]),
        ],
      ),
      ...createTable(
        types,
        "user_export_pieces",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          `revision ${integer} NOT NULL`,
          `user_id ${id} NOT NULL`,
          `export_id ${id} NOT NULL`,
          `place ${bigint} NOT NULL`,
          `sealed ${longText} NOT NULL`,
          `created_at ${moment} NOT NULL`,
          `updated_at ${moment} NOT NULL`,
          "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
          "FOREIGN KEY (export_id) REFERENCES user_exports (id) ON DELETE CASCADE",
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          { name: "export_id", columns: "export_id, place, id" },
          ...listIndexes(["created_at", "updated_at"], "user_id"),
          ...listIndexes(["created_at", "updated_at"]),
        ],
      ),
    ];
  },
  down: () => ["DROP TABLE IF EXISTS `user_export_pieces`", "DROP TABLE IF EXISTS `user_exports`"],
};
