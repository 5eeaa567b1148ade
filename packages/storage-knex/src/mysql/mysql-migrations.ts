import { usingPool } from "../engine/opened-pool.ts";
import { translate, unavailable } from "../engine/translate-error.ts";
import type { MigrationPlace } from "../schema/migrate.ts";
import { mysqlTypes } from "../schema/migrations/column-types.ts";
import type { ServerSettings } from "../server/server.ts";
import { type Connection, inUtf8, query, serverOf } from "./connection.ts";
import { mysqlErrors } from "./errors.ts";
import { lockName } from "./mysql-liveness.ts";
import { connect, knexPool, type MysqlAddress } from "./pool.ts";

const waitSeconds = 60;

export const creationOf = ({ database }: MysqlAddress): string =>
  `CREATE DATABASE IF NOT EXISTS \`${database}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/** There is no statement timeout here, because a step on a large table may take long. */
const migrationPool = (address: MysqlAddress, settings: ServerSettings) =>
  knexPool(address, 1, async () => {
    const connection = await connect(address, settings);
    await query(
      connection,
      `SET SESSION ${inUtf8}, sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'`,
    );
    return connection;
  });

/** Runs `work` on a connection that uses no database, because it may not exist yet. */
const withKeeper = async <Result>(
  address: MysqlAddress,
  settings: ServerSettings,
  work: (keeper: Connection) => Promise<Result>,
): Promise<Result> => {
  try {
    const keeper = await connect(address, settings, { database: undefined });
    return await work(keeper).finally(() => keeper.destroy());
  } catch (thrown) {
    throw translate(thrown, mysqlErrors);
  }
};

/**
 * Migrations of MySQL and MariaDB. A `GET_LOCK` on a connection of its own keeps other processes
 * out and ends with the process. MySQL commits each DDL statement on its own.
 */
export const mysqlMigrations = (address: MysqlAddress, settings: ServerSettings): MigrationPlace => ({
  exclusively: (action) =>
    withKeeper(address, settings, async (keeper) => {
      const [row] = await query<{ taken: number | null }[]>(
        keeper,
        "SELECT GET_LOCK(?, ?) AS taken",
        [lockName(address.database, "migrating"), waitSeconds],
        {},
      );
      if (row?.taken !== 1) throw unavailable(new Error("another process has been migrating for a minute"));
      await query(keeper, creationOf(address));
      const types = mysqlTypes(serverOf(keeper).server);
      return await usingPool(migrationPool(address, settings), (knex) => action(knex, types));
    }),
  look: (action) =>
    withKeeper(address, settings, async (keeper) => {
      const types = mysqlTypes(serverOf(keeper).server);
      const found = await query<unknown[]>(keeper, "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?", [
        address.database,
      ]);
      if (found.length === 0) return await action({ types, creation: creationOf(address) });
      return await usingPool(migrationPool(address, settings), (knex) => action({ types, knex }));
    }),
});
