import { type SqliteDriverName, sqliteDriverNames } from "../packages/storage-knex/src/engine/driver-names.ts";
import { loadDriver } from "../packages/storage-knex/src/sqlite/driver/load-driver.ts";

/**
 * The drivers of SQLite that work in this Node, in the order in which Postern tries them.
 * `better-sqlite3` is found in NODE_PATH, too.
 */
export const workingDrivers = async (): Promise<readonly SqliteDriverName[]> => {
  const working: SqliteDriverName[] = [];
  for (const name of sqliteDriverNames) {
    const loads = await loadDriver(name).then(
      () => true,
      () => false,
    );
    if (loads) working.push(name);
  }
  return working;
};
