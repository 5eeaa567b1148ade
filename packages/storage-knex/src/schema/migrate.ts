import { AppError } from "@postern/core";
import type { Knex } from "knex";
import type { Database, Session } from "../engine/database.ts";
import { MigrationRefused, type RefusedChange, type TableChange } from "../engine/table-change.ts";
import { ownTables, planTables, type TablesPlan } from "./declared/declared-tables.ts";
import { type DeclaredResources, extendTables } from "./declared/extend-tables.ts";
import { findTable } from "./declared/found-table.ts";
import { planNormalForms, takeNormalForms } from "./declared/normal-forms.ts";
import { leftOverTables } from "./declared/table-notes.ts";
import { markerTable } from "./marker-table.ts";
import { migrations } from "./migrations/index.ts";
import {
  type Addition,
  type ColumnTypes,
  type IndexAddition,
  type Migration,
  type Removal,
  type StoragePart,
  sqlOf,
  storageParts,
} from "./migrations/migration.ts";

interface MigrationStatus {
  /** The steps that the database has taken, oldest first, including those of a newer version. */
  readonly applied: readonly string[];
  /** The steps that it still needs. */
  readonly pending: readonly string[];
}

/** What `latest` would do. */
interface MigrationPlan {
  /**
   * In order, with the exact statements. In addition, each numbered step is noted in
   * `schema_migration`.
   */
  readonly changes: readonly TableChange[];
  /** The changes that `latest` refuses. While there are any, it changes nothing at all. */
  readonly refused: readonly RefusedChange[];
}

/** A part of the product, and its tables in the database. */
interface PartTables {
  readonly part: StoragePart;
  readonly inUse: boolean;
  /** Its existing tables, each with its number of rows, counted up to 10,000. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

/** The tables of declared resources, and those of resources that are no longer declared. */
interface DeclaredTables {
  readonly declared: readonly {
    readonly resource: string;
    readonly table: string;
    /** The changes that the table needs; empty if it fits. */
    readonly pending: readonly string[];
  }[];
  /**
   * Tables of resources that are no longer declared, with their number of rows, counted up to
   * 10,000. Nothing deletes these tables.
   */
  readonly leftOver: readonly { readonly resource: string; readonly table: string; readonly rows: number }[];
}

export interface Migrate {
  /**
   * Brings the database to the schema that the parts in use need; creates the database if it does
   * not exist. Then makes and extends the tables of declared resources, and brings texts that are
   * compared in Unicode's form NFC to it. Returns the names of the steps that it took. Any number of
   * processes may call it at once: one works, and the others wait. A part that was left out before
   * gets its tables now. A part that is left out now keeps its tables and their rows.
   * @throws MigrationRefused before anything is changed.
   */
  latest(): Promise<readonly string[]>;
  /** The plan of `latest`. Changes nothing, and creates nothing. */
  plan(): Promise<MigrationPlan>;
  /**
   * Runs the statements that the plan has for changes which are refused, such as the deletion of a
   * column with its values. Call it when a person has said so. Values that are lost are gone.
   */
  runByHand(): Promise<void>;
  /**
   * Undoes the newest step, which deletes its data. Returns its name; `undefined` if there is none.
   */
  down(): Promise<string | undefined>;
  /**
   * The steps of the parts in use that the database has, and those that it needs. Changes nothing.
   * @throws MigrationRefused for a database that a development version made.
   */
  status(): Promise<MigrationStatus>;
  /** The tables of declared resources. Changes nothing. */
  tables(): Promise<DeclaredTables>;
  /**
   * Every part that can be left out, with its tables. A part that has tables but is not in use was
   * turned off. Changes nothing.
   */
  parts(): Promise<readonly PartTables[]>;
}

const table = "schema_migration";

/**
 * Runs a step's statements. It leaves out columns and indexes that were added or removed
 * before: the process may have been killed between a statement and the note of its step.
 */
const takeStep = async (knex: Knex, types: ColumnTypes, statements: ReturnType<Migration["up"]>): Promise<void> => {
  for (const statement of statements) {
    if (typeof statement === "string" || !(await isTakenBefore(knex, types, statement))) {
      await knex.raw(sqlOf(statement));
    }
  }
};

const isTakenBefore = async (
  knex: Knex,
  types: ColumnTypes,
  change: Addition | IndexAddition | Removal,
): Promise<boolean> => {
  const found = await findTable(knex, types, change.table);
  const hasIndex = (wanted: string): boolean => found?.indexes.some(({ name }) => name === wanted) === true;
  if ("column" in change) return found?.columns.has(change.column) === true;
  return "newIndex" in change ? hasIndex(change.newIndex) : !hasIndex(change.index);
};

/** A database that holds only a part of another one must not be used. */
const unfinishedCopy = async (knex: Knex | undefined, types: ColumnTypes): Promise<readonly RefusedChange[]> =>
  knex === undefined || (await findTable(knex, types, markerTable)) === undefined
    ? []
    : [
        {
          problem:
            "a copy into this database is not finished: run the same `postern copy` again, or empty the database",
          byHand: [],
        },
      ];

/**
 * Refuses a database whose steps do not begin with the first one, because a development version made
 * it before the first schema.
 * @throws MigrationRefused
 */
const requireOwnSteps = (taken: readonly string[], [first]: readonly Migration[]): void => {
  if (taken.length === 0 || first === undefined || taken.includes(first.name)) return;
  const problem =
    "the database was made by a development version, before the first schema: export its events with that version (`postern events export`), and import them into a new database with this one (`postern events import`)";
  throw new MigrationRefused([{ problem, byHand: [] }], problem);
};

/** The steps in the form that Knex wants. They are in code, so that a bundle needs no files. */
const sourceOf = (types: ColumnTypes, steps: readonly Migration[]): Knex.MigrationSource<Migration> => ({
  getMigrations: async () => [...steps],
  getMigrationName: ({ name }) => name,
  getMigration: async (step) => ({
    up: (knex) => takeStep(knex, types, step.up(types)),
    down: async (knex) => {
      for (const statement of step.down(types)) await knex.raw(statement);
    },
  }),
});

/** Lets Knex take these steps. Call it while no other process migrates: a lock in Knex's table is stale then. */
const readyFor = async (knex: Knex, types: ColumnTypes, steps: readonly Migration[]): Promise<Knex.MigratorConfig> => {
  const config: Knex.MigratorConfig = {
    tableName: table,
    migrationSource: sourceOf(types, steps),
    // A database of a newer version is not an error. The older version can still start if everything
    // that it needs is there.
    disableMigrationsListValidation: true,
  };
  await knex.migrate.forceFreeMigrationsLock(config);
  return config;
};

/** A database that is only read. */
interface Sight {
  readonly types: ColumnTypes;
  /** Absent if there is no such database yet. */
  readonly knex?: Knex;
  /** The statement that would create the database, if that needs one. */
  readonly creation?: string;
}

/**
 * The differences between databases: how a process gets the sole right to migrate, and on which
 * connection it migrates.
 */
export interface MigrationPlace {
  /** Runs `action` while no other process migrates. */
  exclusively<Result>(action: (knex: Knex, types: ColumnTypes) => Promise<Result>): Promise<Result>;
  /** Waits for the end of another process's write. Absent where a server lets both write. */
  readonly untilWritable?: (knex: Knex) => Promise<void>;
  /** Runs `action`, which only reads. Creates nothing. */
  look<Result>(action: (sight: Sight) => Promise<Result>): Promise<Result>;
  /**
   * Runs each of these scripts on a copy of the database, and deletes the copy. Returns which
   * scripts worked. Absent if the database cannot be copied.
   */
  readonly tryOnCopy?: (scripts: readonly (readonly string[])[]) => Promise<readonly boolean[]>;
}

/** The parts and resources that need tables. */
export interface Wanted extends DeclaredResources {
  readonly parts: readonly StoragePart[];
  /**
   * For the copy itself, which brings its target up to date and has marked it as unfinished. Amid its rows,
   * only numbered steps are taken: PostgreSQL's references are away, and would look like a change.
   */
  readonly copying?: "before its rows" | "amid its rows";
}

export const migrateWith = (
  { exclusively, untilWritable, look, tryOnCopy }: MigrationPlace,
  read: Database["read"],
  wanted: Wanted,
  allSteps: readonly Migration[] = migrations,
): Migrate => {
  const { parts, declared, resources, copying } = wanted;
  const steps = allSteps.filter(({ part }) => part === "always" || parts.includes(part));
  /** What the tables of declared resources need, and what the texts of all resources need. */
  const tablesOf = async (knex: Knex | undefined, types: ColumnTypes) => {
    const tables = await planTables(knex, types, declared, resources);
    const forms = await planNormalForms(knex, types, resources);
    return {
      ...tables,
      forms,
      changes: [...tables.changes, ...forms.changes],
      refused: [
        ...(copying === undefined ? await unfinishedCopy(knex, types) : []),
        ...tables.refused,
        ...forms.refused,
      ],
    };
  };
  let tablesFit = false;

  const openSteps = (taken: readonly string[]): readonly Migration[] =>
    steps.filter(({ name }) => !taken.includes(name));

  const takeSteps = async (knex: Knex, types: ColumnTypes): Promise<readonly string[]> => {
    const open = openSteps(await notedSteps(knex, types));
    if (open.length === 0) return [];
    const [, names]: [number, string[]] = await knex.migrate.latest(await readyFor(knex, types, open));
    return names;
  };

  return {
    latest: () =>
      exclusively(async (knex, types) => {
        await untilWritable?.(knex);
        requireOwnSteps(await notedSteps(knex, types), allSteps);
        if (copying === "amid its rows") return takeSteps(knex, types);
        const { changes, refused, noted, forms } = await tablesOf(knex, types);
        if (refused.length > 0) throw new MigrationRefused(await tried(refused.map(spelledBy(types)), tryOnCopy));
        const taken = [...(await takeSteps(knex, types))];
        if (changes.length > 0 || !noted) taken.push(...(await extendTables(knex, types, wanted)));
        if (!forms.noted) taken.push(...(await takeNormalForms(knex, types, resources, forms)));
        tablesFit = true;
        return taken;
      }),
    plan: () =>
      look(async ({ knex, types, creation }) => {
        const taken = knex === undefined ? [] : await notedSteps(knex, types);
        requireOwnSteps(taken, allSteps);
        const open = openSteps(taken);
        const numbered = open.map((step) => ({ name: step.name, statements: step.up(types).map(sqlOf) }));
        const tables = await tablesOf(knex, types);
        const created = creation === undefined ? [] : [{ name: "create the database", statements: [creation] }];
        return {
          changes: [...created, ...numbered, ...tables.changes.map(standingAlone)].map((change) => ({
            ...change,
            statements: change.statements.map(types.spelled),
          })),
          refused: await tried(tables.refused.map(spelledBy(types)), tryOnCopy),
        };
      }),
    runByHand: () =>
      exclusively(async (knex, types) => {
        await untilWritable?.(knex);
        requireOwnSteps(await notedSteps(knex, types), allSteps);
        const { refused } = await tablesOf(knex, types);
        for (const { byHand } of await tried(refused.map(spelledBy(types)), tryOnCopy)) {
          for (const statement of byHand) await knex.raw(statement);
        }
      }),
    down: () =>
      exclusively(async (knex, types) => {
        const taken = await notedSteps(knex, types);
        requireOwnSteps(taken, allSteps);
        const newest = taken.at(-1);
        if (newest === undefined) return undefined;
        const step = allSteps.find(({ name }) => name === newest);
        if (step === undefined) {
          throw new Error(
            `the newest step, ${newest}, comes from a newer version of Postern; undo it with that version`,
          );
        }
        const [, names] = await knex.migrate.down(await readyFor(knex, types, [step]));
        return names[0];
      }),
    status: async () => {
      const applied = await read(appliedSteps);
      requireOwnSteps(applied, allSteps);
      const status = { applied, pending: openSteps(applied).map(({ name }) => name) };
      // Tables that fit once fit for good, because only `latest` changes them.
      if (tablesFit || status.pending.length > 0) return status;
      const { changes, refused } = await look(({ knex, types }) => tablesOf(knex, types));
      const pending = [...changes.map(({ name }) => name), ...refused.map(({ problem }) => problem)];
      tablesFit = pending.length === 0;
      return { applied, pending };
    },
    tables: () =>
      look(async ({ knex, types }) => {
        const planned = await tablesOf(knex, types);
        const known = [...ownTables, ...planned.shapes.map(({ table: own }) => own)];
        const leftOver = knex === undefined ? [] : await leftOverTables(knex, types, known, countRows);
        return { declared: declaredTablesOf(planned), leftOver };
      }),
    parts: () =>
      look(({ knex, types }) =>
        Promise.all(
          storageParts.map(async (part) => ({
            part,
            inUse: parts.includes(part),
            tables: knex === undefined ? [] : await tablesOfPart(knex, types, part, allSteps),
          })),
        ),
      ),
  };
};

/** A refusal whose statements can be given to the server as they are. */
const spelledBy =
  ({ spelled }: ColumnTypes) =>
  (refused: RefusedChange): RefusedChange => ({ ...refused, byHand: refused.byHand.map(spelled) });

/** Rows beyond this number are not counted. */
const mostCounted = 10_000;

const countRows = async (knex: Knex, name: string): Promise<number> => {
  const some = knex(name).select(knex.raw("1")).limit(mostCounted).as("some");
  const [counted] = await knex.from(some).count({ rows: "*" });
  return Number(counted?.rows);
};

/**
 * A change as a script to run by hand. It rebuilds a table in one transaction, and does not delete
 * rows that refer to it.
 */
const standingAlone = (change: TableChange): TableChange =>
  change.makesTableAnew === true
    ? {
        ...change,
        statements: [
          "PRAGMA foreign_keys = OFF",
          "BEGIN IMMEDIATE",
          ...change.statements,
          "COMMIT",
          "PRAGMA foreign_keys = ON",
        ],
      }
    : change;

/** The refused changes. Statements that do not work on a copy of the database are left out. */
const tried = async (
  refused: readonly RefusedChange[],
  tryOnCopy: MigrationPlace["tryOnCopy"],
): Promise<readonly RefusedChange[]> => {
  if (tryOnCopy === undefined || refused.every(({ byHand }) => byHand.length === 0)) return refused;
  const works = await tryOnCopy(refused.map(({ byHand }) => byHand));
  return refused.map((change, index) => (works[index] === true ? change : { ...change, byHand: [] }));
};

const tablesOfPart = async (
  knex: Knex,
  types: ColumnTypes,
  part: StoragePart,
  steps: readonly Migration[],
): Promise<PartTables["tables"]> => {
  const found: { table: string; rows: number }[] = [];
  for (const name of steps.flatMap((step) => (step.part === part ? (step.tables ?? []) : []))) {
    if ((await findTable(knex, types, name)) === undefined) continue;
    found.push({ table: name, rows: await countRows(knex, name) });
  }
  return found;
};

const notedSteps = async (knex: Knex, types: ColumnTypes): Promise<readonly string[]> => {
  if ((await findTable(knex, types, table)) === undefined) return [];
  const rows = await knex<{ id: number; name: string }>(table).select("name").orderBy("id");
  return rows.map(({ name }) => name);
};

/** The tables of declared resources, each with the changes that concern it. */
const declaredTablesOf = ({
  shapes,
  changes,
  refused,
}: Pick<TablesPlan, "shapes" | "changes" | "refused">): DeclaredTables["declared"] => {
  const needed = [...changes.map(({ name }) => name), ...refused.map(({ problem }) => problem)];
  return shapes.map(({ resource, table: own }) => ({
    resource,
    table: own,
    pending: needed.filter((one) => one.startsWith(`${own}: `)),
  }));
};

/** The steps that the database has taken; none if the table of steps does not exist yet. */
const appliedSteps = async (session: Session): Promise<readonly string[]> => {
  try {
    const rows = await session.rows<{ name: string }>(`SELECT name FROM ${table} ORDER BY id`);
    return rows.map(({ name }) => name);
  } catch (thrown) {
    // A 503 concerns the database as a whole. Any other error here means that the table is missing.
    if (thrown instanceof AppError) throw thrown;
    return [];
  }
};

/**
 * @throws AppError `unavailable` when the database does not answer, or its schema is older than
 * this version.
 */
export const checkSchema = async ({ status }: Migrate): Promise<void> => {
  const { pending } = await status().catch((thrown: unknown) => {
    if (!(thrown instanceof MigrationRefused)) throw thrown;
    throw new AppError("unavailable", { detail: `${thrown.message}.`.replace(/^the/, "The") });
  });
  if (pending.length === 0) return;
  throw new AppError("unavailable", {
    detail: `The database's schema is ${pending.length} ${pending.length === 1 ? "step" : "steps"} behind; run \`postern migrate\` or start the server.`,
  });
};
