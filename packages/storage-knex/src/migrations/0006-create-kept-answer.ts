import { createTable, type Migration } from "./migration.ts";

/**
 * The answers that are kept for idempotency keys. `sealed` is empty while the transaction that
 * claimed the key runs.
 */
export const createKeptAnswer: Migration = {
  name: "0006-create-kept-answer",
  part: "always",
  tables: ["kept_answer"],
  up: (types) =>
    createTable(
      types,
      "kept_answer",
      [
        `answer_key ${types.key(64)} NOT NULL PRIMARY KEY`,
        `sealed ${types.longText} NOT NULL`,
        `expires_at ${types.bigint} NOT NULL`,
      ],
      [{ name: "by_expiry", columns: "expires_at" }],
    ),
  down: () => ["DROP TABLE IF EXISTS kept_answer"],
};
