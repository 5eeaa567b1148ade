import { setTimeout as sleep } from "node:timers/promises";
import { usingPool } from "../engine/opened-pool.ts";
import { translate, unavailable, vendorErrorOf } from "../engine/translate-error.ts";
import type { MigrationPlace } from "../schema/migrate.ts";
import { postgresTypes } from "../schema/migrations/column-types.ts";
import type { ServerSettings } from "../server/server.ts";
import { type Connection, query } from "./connection.ts";
import { postgresErrors } from "./errors.ts";
import { connect, knexPool, type PostgresAddress } from "./pool.ts";
import { lockClass } from "./postgres-liveness.ts";

const waitMs = 60_000;
const tryEveryMs = 200;

const noDatabase = "3D000";

/** A database that every server has, to make another one from. */
export const firstDatabase = "postgres";

const creationOf = ({ database }: PostgresAddress): string => `CREATE DATABASE "${database}"`;

/**
 * Migrations of PostgreSQL. An advisory lock of a transaction on a connection of its own keeps other
 * processes out, and ends with the connection. The database and the schema are made if they are missing.
 */
export const postgresMigrations = (address: PostgresAddress, settings: ServerSettings): MigrationPlace => {
  // A step on a large table may take long.
  const unbounded = { ...settings, statementTimeoutMs: 0 };
  const open = (): Promise<Connection> => connect(address, unbounded);

  const create = async (): Promise<void> => {
    const connection = await connect({ ...address, database: firstDatabase }, unbounded);
    try {
      await query(connection, creationOf(address));
    } catch (thrown) {
      // Another process was a moment quicker.
      if (!["42P04", "23505"].includes(vendorErrorOf(thrown).code)) throw thrown;
    } finally {
      await connection.end();
    }
  };

  /** `undefined` if there is no such database. */
  const opened = async (): Promise<Connection | undefined> => {
    try {
      return await open();
    } catch (thrown) {
      if (vendorErrorOf(thrown).code === noDatabase) return undefined;
      throw thrown;
    }
  };

  const lock = async (keeper: Connection): Promise<void> => {
    const until = performance.now() + waitMs;
    await query(keeper, "BEGIN");
    await query(keeper, "SET LOCAL idle_in_transaction_session_timeout = 0");
    for (;;) {
      const { rows } = await query<{ taken: number }>(
        keeper,
        "SELECT pg_try_advisory_xact_lock(CAST(? AS integer), 0) AS taken",
        [lockClass(address, "migrating")],
      );
      if (rows[0]?.taken === 1) return;
      if (performance.now() > until) throw unavailable(new Error("another process has been migrating for a minute"));
      await sleep(tryEveryMs);
    }
  };

  return {
    exclusively: async (action) => {
      let keeper: Connection | undefined;
      try {
        keeper = await opened();
        if (keeper === undefined) {
          await create();
          keeper = await open();
        }
        await lock(keeper);
        return await usingPool(knexPool(1, open), async (pool) => {
          if (address.schema !== undefined) await pool.raw(`CREATE SCHEMA IF NOT EXISTS "${address.schema}"`);
          return action(pool, postgresTypes);
        });
      } catch (thrown) {
        throw translate(thrown, postgresErrors);
      } finally {
        // A pooler would end a connection that leaves in a transaction, and the lock a moment later.
        if (keeper !== undefined) await query(keeper, "ROLLBACK").catch(() => undefined);
        await keeper?.end();
      }
    },
    look: async (action) => {
      try {
        const connection = await opened();
        if (connection === undefined) return await action({ types: postgresTypes, creation: creationOf(address) });
        await connection.end();
        return await usingPool(knexPool(1, open), (knex) => action({ types: postgresTypes, knex }));
      } catch (thrown) {
        throw translate(thrown, postgresErrors);
      }
    },
  };
};
