import { listIndexes } from "./list-indexes.ts";
import { addColumn, createTable, type Migration } from "./migration.ts";

/** Digests of the tokens in mailed links, and the address that each user last verified. */
export const createAccountTokens: Migration = {
  name: "0021-create-account-tokens",
  part: "users",
  tables: ["account_tokens"],
  up: (types) => {
    const { id, moment, text, ascii, longText, bigint, integer } = types;
    return [
      ...createTable(
        types,
        "account_tokens",
        [
          `id ${id} NOT NULL PRIMARY KEY`,
          `revision ${integer} NOT NULL`,
          `user_id ${id} NULL`,
          `purpose ${ascii(64)} NOT NULL`,
          `subject_digest ${ascii(255)} NOT NULL`,
          `secret_digest ${ascii(255)} NOT NULL`,
          `sealed ${longText} NULL`,
          `failures ${bigint} NOT NULL`,
          `expires_at ${moment} NOT NULL`,
          `created_at ${moment} NOT NULL`,
          `updated_at ${moment} NOT NULL`,
          "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE",
        ],
        [
          { name: "user_id", columns: "user_id, id" },
          { name: "subject_digest", columns: "subject_digest, id" },
          ...listIndexes(["expires_at", "created_at", "updated_at"]),
        ],
      ),
      ...addColumn(types, "users", { name: "verified_email", type: `${text(254)} NULL` }),
    ];
  },
  down: () => ["ALTER TABLE users DROP COLUMN verified_email", "DROP TABLE IF EXISTS account_tokens"],
};
