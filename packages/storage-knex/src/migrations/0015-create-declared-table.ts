import { createTable, type Migration } from "./migration.ts";

/**
 * The tables that were made for declared resources, with the values of their choices as they were
 * declared last. So a resource that is declared no more is noticed, and rows are searched for a
 * removed value only when one was removed.
 */
export const createDeclaredTable: Migration = {
  name: "0015-create-declared-table",
  part: "always",
  tables: ["declared_table"],
  up: (types) =>
    createTable(types, "declared_table", [
      `table_name ${types.ascii(64)} NOT NULL PRIMARY KEY`,
      `resource ${types.ascii(64)} NOT NULL`,
      `choices ${types.longText} NOT NULL`,
    ]),
  down: () => ["DROP TABLE IF EXISTS declared_table"],
};
