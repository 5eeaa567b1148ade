import { sqliteDriverNames } from "../src/engine/driver-names.ts";

/**
 * The driver of all SQLite databases of the tests, such as `better-sqlite3`; by default the first
 * that works.
 */
export const sqliteDriver = sqliteDriverNames.find((name) => name === process.env.POSTERN_TEST_SQLITE_DRIVER);
