import type { MigrationPlace } from "../migrate.ts";
import { mysqlTypes } from "../migrations/column-types.ts";
import { translate, unavailable } from "../translate-error.ts";
import { inspectServer, type MysqlSettings, query } from "./connection.ts";
import { mysqlErrors } from "./errors.ts";
import { dedicatedConnection, lockName } from "./mysql-liveness.ts";
import { type MysqlAddress, mysqlPool } from "./pool.ts";

const waitSeconds = 60;

const creationOf = ({ database }: MysqlAddress): string =>
  `CREATE DATABASE IF NOT EXISTS \`${database}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/** There is no statement timeout here, because a step on a large table may take long. */
const migrationPool = (address: MysqlAddress) =>
  mysqlPool(address, 1, async (connection) => {
    await query(connection, "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'");
  });

/**
 * Migrations of MySQL and MariaDB. A `GET_LOCK` on a connection of its own keeps other processes
 * out and ends with the process. MySQL commits each DDL statement on its own.
 */
export const mysqlMigrations = (address: MysqlAddress, settings: MysqlSettings): MigrationPlace => ({
  exclusively: async (action) => {
    const keeper = await dedicatedConnection(address, undefined);
    try {
      const { server } = await inspectServer(keeper, settings);
      const [row] = await query<{ taken: number | null }[]>(
        keeper,
        "SELECT GET_LOCK(?, ?) AS taken",
        [lockName(address.database, "migrating"), waitSeconds],
        0,
      );
      if (row?.taken !== 1) throw unavailable(new Error("another process has been migrating for a minute"));
      await query(keeper, creationOf(address));
      const pool = migrationPool(address);
      try {
        return await action(pool.knex, mysqlTypes(server));
      } finally {
        await pool.close();
      }
    } catch (thrown) {
      throw translate(thrown, mysqlErrors);
    } finally {
      keeper.destroy();
    }
  },
  look: async (action) => {
    const keeper = await dedicatedConnection(address, undefined);
    try {
      const { server } = await inspectServer(keeper, settings);
      const types = mysqlTypes(server);
      const found = await query<unknown[]>(keeper, "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?", [
        address.database,
      ]);
      if (found.length === 0) return await action({ types, creation: creationOf(address) });
      const pool = migrationPool(address);
      try {
        return await action({ types, knex: pool.knex });
      } finally {
        await pool.close();
      }
    } catch (thrown) {
      throw translate(thrown, mysqlErrors);
    } finally {
      keeper.destroy();
    }
  },
});
