import { listIndexes } from "./list-indexes.ts";
import { createTable, type Migration, unique } from "./migration.ts";

/** The links from users to their accounts at outside issuers. */
export const createOutsideIdentities: Migration = {
  name: "0026-create-outside-identities",
  part: "users",
  tables: ["outside_identities"],
  up: (types) => {
    const { id, moment, text, integer } = types;
    return createTable(
      types,
      "outside_identities",
      [
        `id ${id} NOT NULL PRIMARY KEY`,
        `revision ${integer} NOT NULL`,
        `user_id ${id} NOT NULL`,
        `issuer ${text(255)} NOT NULL`,
        `subject ${text(255)} NOT NULL`,
        `identity ${text(64)} NOT NULL`,
        `created_at ${moment} NOT NULL`,
        `updated_at ${moment} NOT NULL`,
        unique(types, "identity"),
        "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
      ],
      [
        { name: "user_id", columns: "user_id, id" },
        ...listIndexes(["created_at", "updated_at"], "user_id"),
        ...listIndexes(["created_at", "updated_at"]),
      ],
    );
  },
  down: () => ["DROP TABLE IF EXISTS `outside_identities`"],
};
