import type { ColumnTypes } from "./migration.ts";

export const sqliteTypes: ColumnTypes = {
  server: "sqlite",
  id: "TEXT",
  moment: "TEXT",
  text: () => "TEXT",
  ascii: () => "TEXT",
  longText: "TEXT",
  key: () => "TEXT",
  longBytes: "BLOB",
  bigint: "INTEGER",
  integer: "INTEGER",
  serial: "INTEGER PRIMARY KEY",
  tableOptions: "",
};

/**
 * The collations `…_bin` of old pad with blanks: "a" and "a " would be the same key. MariaDB and MySQL have different ones that do not, and
 * MySQL has none for ASCII.
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
    key: (maxBytes) => `VARBINARY(${maxBytes})`,
    longBytes: "LONGBLOB",
    bigint: "BIGINT",
    integer: "INT",
    serial: "BIGINT AUTO_INCREMENT PRIMARY KEY",
    tableOptions: ` ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4`,
  };
};
