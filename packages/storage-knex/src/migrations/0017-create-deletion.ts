import { createTable, type Migration } from "./migration.ts";

/**
 * Rows that were deleted while very many rows are below them. The rows below are deleted piece by
 * piece. Until then all of them remain in their tables, but no statement on resources sees them.
 */
export const createDeletion: Migration = {
  name: "0017-create-deletion",
  part: "always",
  tables: ["deletion"],
  up: (types) =>
    createTable(types, "deletion", [
      `resource ${types.ascii(64)} NOT NULL`,
      `row_id ${types.id} NOT NULL`,
      "PRIMARY KEY (resource, row_id)",
    ]),
  down: () => ["DROP TABLE IF EXISTS deletion"],
};
