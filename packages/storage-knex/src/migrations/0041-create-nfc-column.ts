import { createTable, type Migration } from "./migration.ts";

/**
 * The columns whose texts were all brought to Unicode's normal form NFC. Writes keep them in it, so
 * they are not searched again.
 */
export const createNfcColumn: Migration = {
  name: "0041-create-nfc-column",
  part: "always",
  tables: ["nfc_column"],
  up: (types) =>
    createTable(types, "nfc_column", [
      `table_name ${types.ascii(64)} NOT NULL`,
      `column_name ${types.ascii(64)} NOT NULL`,
      "PRIMARY KEY (table_name, column_name)",
    ]),
  down: () => ["DROP TABLE IF EXISTS nfc_column"],
};
