import type { ColumnTypes } from "./migration.ts";

/**
 * SQLite keeps a column's type as a name and does not check lengths. The names record what a column
 * was made for, so that a later change can be detected.
 */
export const sqliteTypes: ColumnTypes = {
  server: "sqlite",
  id: "CHAR(36)",
  moment: "CHAR(24)",
  text: (maxLength) => `VARCHAR(${maxLength})`,
  ascii: (maxLength) => `VARCHAR(${maxLength})`,
  longText: "TEXT",
  json: "JSON_TEXT",
  day: "CHAR(10)",
  decimal: (digits, decimals) => `DECIMAL(${digits},${decimals})`,
  boolean: "BOOLEAN",
  key: () => "TEXT",
  longBytes: "BLOB",
  bigint: "INTEGER",
  integer: "INTEGER",
  serial: "INTEGER PRIMARY KEY",
  tableOptions: "",
};

/**
 * The older collations `…_bin` pad with blanks, so "a" and "a " would be the same key. MariaDB and
 * MySQL have different collations that do not pad, and MySQL has none for ASCII.
 */
export const mysqlTypes = (server: "mariadb" | "mysql"): ColumnTypes => {
  const wide =
    server === "mariadb"
      ? "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
      : "CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin";
  const narrow = server === "mariadb" ? "CHARACTER SET ascii COLLATE ascii_nopad_bin" : wide;
  return {
    server,
    id: `CHAR(36) ${narrow}`,
    moment: `CHAR(24) ${narrow}`,
    text: (maxLength) => `VARCHAR(${maxLength}) ${wide}`,
    ascii: (maxLength) => `VARCHAR(${maxLength}) ${narrow}`,
    longText: `MEDIUMTEXT ${wide}`,
    json: `LONGTEXT ${wide}`,
    day: `CHAR(10) ${narrow}`,
    decimal: (digits, decimals) => `DECIMAL(${digits},${decimals})`,
    boolean: "TINYINT(1)",
    key: (maxBytes) => `VARBINARY(${maxBytes})`,
    longBytes: "LONGBLOB",
    bigint: "BIGINT",
    integer: "INT",
    serial: "BIGINT AUTO_INCREMENT PRIMARY KEY",
    tableOptions: ` ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4`,
  };
};
