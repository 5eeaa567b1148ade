import { OptionError } from "@postern/core/internal";
import type { Knex } from "knex";
import { type DatabaseAddress, parseDatabaseUrl } from "../../engine/database-url.ts";
import type { Value } from "../../engine/session.ts";
import { translate } from "../../engine/translate-error.ts";
import { mysqlMigrations } from "../../mysql/mysql-migrations.ts";
import { postgresMigrations } from "../../postgres/postgres-migrations.ts";
import { rowsOf } from "../../schema/declared/found-table.ts";
import { type MigrationPlace, migrateWith, type Wanted } from "../../schema/migrate.ts";
import type { ColumnTypes } from "../../schema/migrations/migration.ts";
import { sqliteErrors } from "../../sqlite/errors.ts";
import { sqliteMigrations } from "../../sqlite/sqlite-migrations.ts";

const settings = { requireFlush: true };

/** How a process migrates the database at an address. */
export const migrationsOf = (address: DatabaseAddress): MigrationPlace => {
  if (address.kind === "sqlite") {
    return sqliteMigrations(address.file, { synchronous: "FULL", driver: address.driver });
  }
  return address.kind === "postgres" ? postgresMigrations(address, settings) : mysqlMigrations(address, settings);
};

/** One connection to a database, whose statements may take as long as they need. */
export interface Connection {
  readonly address: DatabaseAddress;
  readonly knex: Knex;
  readonly types: ColumnTypes;
  /** Which spelling its server understands. */
  readonly server: "sqlite" | "mysql" | "postgres";
  rows<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  run(sql: string, values?: readonly Value[]): Promise<void>;
  /** Runs `work` in one transaction. */
  atOnce(work: () => Promise<void>): Promise<void>;
}

const connectionOn = (address: DatabaseAddress, knex: Knex, types: ColumnTypes): Connection => {
  const run = async (sql: string, values: readonly Value[] = []): Promise<void> => {
    await knex.raw(sql, values as readonly Knex.RawBinding[] /* drivers take every `Value` */);
  };
  return {
    address,
    knex,
    types,
    server: address.kind,
    rows: (sql, values) => rowsOf(knex, types.server, sql, values),
    run,
    // The pool of a migration has one connection.
    atOnce: async (work) => {
      await run(address.kind === "sqlite" ? "BEGIN IMMEDIATE" : "START TRANSACTION");
      try {
        await work();
        await run("COMMIT");
      } catch (thrown) {
        await run("ROLLBACK").catch(() => undefined);
        throw thrown;
      }
    },
  };
};

/** `latest` reads on the connection of the migration. */
const unread = (): never => {
  throw new TypeError("a copy reads on its own connections");
};

/**
 * A database that is copied, or copied to.
 * @throws TypeError for an invalid URL, and for one that leads through a pooler.
 */
export const placeOf = (url: string) => {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres" && address.pooled) {
    throw new OptionError("url", "a copy needs a direct connection; name the server itself, and leave pooler out");
  }
  const place = migrationsOf(address);
  const { exclusively, look } = place;
  return {
    /** Makes and extends the tables of a database that is marked as an unfinished copy. */
    migrate: async (wanted: Required<Wanted>): Promise<void> => {
      const { latest } = migrateWith(place, unread, wanted);
      await latest();
    },
    /** Runs `work` while no process can begin with the database, because none can migrate. */
    exclusively: async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
      try {
        return await exclusively((knex, types) => work(connectionOn(address, knex, types)));
      } catch (thrown) {
        // The messages of Knex hold whole statements with their values. Those of servers are translated.
        throw address.kind === "sqlite" ? translate(thrown, sqliteErrors) : thrown;
      }
    },
    /** Runs `work`, which only reads; without a connection if there is no such database. */
    look: <Result>(work: (connection: Connection | undefined) => Promise<Result>): Promise<Result> =>
      look(({ knex, types }) => work(knex === undefined ? undefined : connectionOn(address, knex, types))),
  };
};

export type Place = ReturnType<typeof placeOf>;
