import { listIndexes } from "./list-indexes.ts";
import { addColumn, createTable, type Migration } from "./migration.ts";

/** The second factors of users. Their ids are those of the users. */
export const createSecondFactors: Migration = {
  name: "0024-create-second-factors",
  part: "users",
  tables: ["second_factors"],
  up: (types) => {
    const { id, moment, ascii, json, bigint, integer } = types;
    return [
      ...createTable(
        types,
        "second_factors",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          `revision ${integer} NOT NULL`,
          `user_id ${id} NOT NULL`,
          `sealed_secret ${ascii(255)} NOT NULL`,
          `confirmed_at ${moment} NULL`,
          `last_step ${bigint} NOT NULL`,
          `recovery_digests ${json} NOT NULL`,
          `created_at ${moment} NOT NULL`,
          `updated_at ${moment} NOT NULL`,
          "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
        ],
        [{ name: "user_id", columns: "user_id, id" }, ...listIndexes(["created_at", "updated_at"])],
      ),
      ...addColumn(types, "users", { name: "second_factor_at", type: `${moment} NULL` }),
    ];
  },
  down: () => ["ALTER TABLE users DROP COLUMN second_factor_at", "DROP TABLE IF EXISTS second_factors"],
};
