import { type ColumnTypes, createTable, type Migration } from "./migration.ts";

/** Random numbers below 2^52. A server that repeats statements on replicas repeats the number there. */
const randomNumber: Readonly<Record<ColumnTypes["server"], string>> = {
  sqlite: "abs(random() % 4503599627370496)",
  // One RAND has 30 bits.
  mariadb: "FLOOR(RAND() * 67108864) * 67108864 + FLOOR(RAND() * 67108864)",
  mysql: "FLOOR(RAND() * 67108864) * 67108864 + FLOOR(RAND() * 67108864)",
  postgres: "CAST(floor(random() * 4503599627370496) AS bigint)",
};

/** The number by which a database is known, drawn once: see `createLineage`. */
export const createDatabaseIdentity: Migration = {
  name: "0065-create-database-identity",
  part: "always",
  tables: ["database_identity"],
  up: (types) => {
    const values = `INTO database_identity (id, number) VALUES (1, ${randomNumber[types.server]})`;
    return [
      ...createTable(types, "database_identity", [
        `id ${types.integer} NOT NULL PRIMARY KEY`,
        `number ${types.bigint} NOT NULL`,
      ]),
      types.server === "mariadb" || types.server === "mysql"
        ? `INSERT IGNORE ${values}`
        : `INSERT ${values} ON CONFLICT DO NOTHING`,
    ];
  },
  down: () => ["DROP TABLE IF EXISTS database_identity"],
};
