import { AppError } from "@postern/core";
import type { Knex } from "knex";
import type { Session } from "./database.ts";
import { migrations } from "./migrations/index.ts";
import type { ColumnTypes, Migration } from "./migrations/migration.ts";

export interface MigrationStatus {
  /** Steps the database has, oldest first; also those of a newer version. */
  readonly applied: readonly string[];
  /** Steps it still needs. */
  readonly pending: readonly string[];
}

export interface Migrate {
  /**
   * Brings the database to the schema this version needs; creates it where it does not exist. The names of the steps it took. Any number of
   * processes may call it at once: one works, the others wait.
   */
  latest(): Promise<readonly string[]>;
  /** Takes the newest step back, data included. Its name; `undefined` when there is none. */
  down(): Promise<string | undefined>;
  /** Changes nothing. */
  status(): Promise<MigrationStatus>;
}

const table = "schema_migration";

/** The steps as Knex wants them; given in code, so that a bundle needs no files. */
const sourceOf = (steps: readonly Migration[], types: ColumnTypes): Knex.MigrationSource<Migration> => {
  const runAll = async (knex: Knex, statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await knex.raw(statement);
  };
  return {
    getMigrations: async () => [...steps],
    getMigrationName: ({ name }) => name,
    getMigration: async (step) => ({
      up: (knex) => runAll(knex, step.up(types)),
      down: (knex) => runAll(knex, step.down(types)),
    }),
  };
};

/** What differs between databases: how one process alone gets to migrate, and the connection it does it on. */
export interface MigrationPlace {
  /** Runs `action` while no other process migrates. */
  exclusively<Result>(action: (knex: Knex, types: ColumnTypes) => Promise<Result>): Promise<Result>;
}

export const migrateWith = (
  { exclusively }: MigrationPlace,
  read: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>,
  steps: readonly Migration[] = migrations,
): Migrate => {
  const configOf = (types: ColumnTypes): Knex.MigratorConfig => ({
    tableName: table,
    migrationSource: sourceOf(steps, types),
    // A database of a newer version is no error: the older one can be started again as long as what it needs is there.
    disableMigrationsListValidation: true,
  });
  /** We are alone, so a lock in Knex's table is what a killed process left there. */
  const freeStaleLock = (knex: Knex, config: Knex.MigratorConfig): Promise<unknown> =>
    knex.migrate.forceFreeMigrationsLock(config);

  return {
    latest: () =>
      exclusively(async (knex, types) => {
        const config = configOf(types);
        await freeStaleLock(knex, config);
        const [, names] = await knex.migrate.latest(config);
        return names;
      }),
    down: () =>
      exclusively(async (knex, types) => {
        const config = configOf(types);
        await freeStaleLock(knex, config);
        const newest = (await knex<{ name: string }>(table).orderBy("id", "desc").first("name"))?.name;
        if (newest !== undefined && !steps.some(({ name }) => name === newest)) {
          throw new Error(`the newest step, ${newest}, is of a newer version: take it back with that`);
        }
        const [, names] = await knex.migrate.down(config);
        return names[0];
      }),
    status: () => read((session) => statusOf(session, steps)),
  };
};

const statusOf = async (session: Session, steps: readonly Migration[]): Promise<MigrationStatus> => {
  const applied = await appliedSteps(session);
  return { applied, pending: steps.map(({ name }) => name).filter((name) => !applied.includes(name)) };
};

/** None also when the table is not there yet. */
const appliedSteps = async (session: Session): Promise<readonly string[]> => {
  try {
    const rows = await session.rows<{ name: string }>(`SELECT name FROM ${table} ORDER BY id`);
    return rows.map(({ name }) => name);
  } catch (thrown) {
    // 503 is about the database as a whole; anything else here is a missing table.
    if (thrown instanceof AppError) throw thrown;
    return [];
  }
};

/** @throws AppError `unavailable` when the database does not answer, or its schema is older than this version. */
export const checkSchema = async ({ status }: Migrate): Promise<void> => {
  const { pending } = await status();
  if (pending.length === 0) return;
  throw new AppError("unavailable", {
    detail: `The database's schema is ${pending.length} ${pending.length === 1 ? "step" : "steps"} behind; run the migrations.`,
  });
};
