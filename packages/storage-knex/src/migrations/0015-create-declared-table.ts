import { createTable, type Migration } from "./migration.ts";

/**
 * The tables of declared resources, with the values of their choices as last declared. The server
 * notices a resource that is no longer declared, and it searches rows for a removed value only if
 * one was removed.
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
