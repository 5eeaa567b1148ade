import type { Resource } from "@postern/core";
import type { Knex } from "knex";
import type { Resources } from "../../engine/condition-to-sql.ts";
import { MigrationRefused, type TableChange } from "../../engine/table-change.ts";
import { vendorErrorOf } from "../../engine/translate-error.ts";
import type { ColumnTypes } from "../migrations/migration.ts";
import { planTables } from "./declared-tables.ts";
import { rowsOf } from "./found-table.ts";
import { noteTables } from "./table-notes.ts";

/** The declared resources whose tables are maintained, and all resources that they may refer to. */
export interface DeclaredResources {
  readonly declared: readonly Resource[];
  readonly resources: Resources;
}

const mostTries = 3;

const names = (changes: readonly TableChange[]): readonly string[] => changes.map(({ name }) => name);

/**
 * Plans and takes the changes in one transaction. `check` may still refuse what came of them. Returns the
 * names of the changes.
 */
const extendAtOnce = async (
  knex: Knex,
  types: ColumnTypes,
  wanted: DeclaredResources,
  { begin, check }: { readonly begin: string; readonly check: (table: string) => Promise<void> },
): Promise<readonly string[]> => {
  // The transaction is written by hand, because Knex's own takes SQLite's lock only with the first write.
  // The pool has one connection.
  await knex.raw(begin);
  try {
    const { changes, refused, shapes } = await planTables(knex, types, wanted.declared, wanted.resources);
    if (refused.length > 0) throw new MigrationRefused(refused);
    for (const { statements } of changes) for (const statement of statements) await knex.raw(statement);
    for (const { table } of shapes) await check(table);
    await noteTables(knex, shapes);
    await knex.raw("COMMIT");
    return names(changes);
  } catch (thrown) {
    await knex.raw("ROLLBACK");
    throw thrown;
  }
};

/**
 * The transaction holds SQLite's only write lock from its start. A row of another process is inserted
 * either before the plan is made or after the change is done.
 */
const extendOnSqlite = async (
  knex: Knex,
  types: ColumnTypes,
  wanted: DeclaredResources,
): Promise<readonly string[]> => {
  const check = async (table: string): Promise<void> => {
    const broken = await rowsOf(knex, types.server, `PRAGMA foreign_key_check(\`${table}\`)`);
    if (broken.length > 0) throw new Error(`the change would break ${broken.length} references of ${table}`);
  };
  await knex.raw("PRAGMA foreign_keys = OFF");
  try {
    return await extendAtOnce(knex, types, wanted, { begin: "BEGIN IMMEDIATE", check });
  } finally {
    await knex.raw("PRAGMA foreign_keys = ON");
  }
};

/** The errors of PostgreSQL if a row prevents a change: an empty, a repeated, a dangling, a too long value. */
const refusals: ReadonlySet<string> = new Set(["23502", "23505", "23503", "22001", "22003"]);

/** A row of another process that prevents a change ends the transaction, and the plan is made again. */
const extendOnPostgres = async (
  knex: Knex,
  types: ColumnTypes,
  wanted: DeclaredResources,
  tries = mostTries,
): Promise<readonly string[]> => {
  try {
    return await extendAtOnce(knex, types, wanted, { begin: "BEGIN", check: async () => undefined });
  } catch (thrown) {
    if (tries <= 1 || !refusals.has(vendorErrorOf(thrown).code)) throw thrown;
    return extendOnPostgres(knex, types, wanted, tries - 1);
  }
};

/** The errors of MySQL and MariaDB if a row prevents a change. */
const contradictions: ReadonlySet<number> = new Set([
  1048, // a column cannot be null
  1062, // a duplicate value
  1138, // a null that is not allowed
  1264, // a number out of range
  1265, // a value that would be cut
  1292, // a value of another type
  1406, // a text that is too long
  1452, // a reference to a row that does not exist
]);

/**
 * Makes one change. Returns false if a row prevents it that was inserted after the plan was made;
 * the change is then undone.
 */
const takeOnMysql = async (knex: Knex, { statements, undo = [] }: TableChange): Promise<boolean> => {
  try {
    for (const statement of statements) await knex.raw(statement);
    return true;
  } catch (thrown) {
    if (!contradictions.has(vendorErrorOf(thrown).errno)) throw thrown;
    for (const statement of undo) await knex.raw(statement);
    return false;
  }
};

/**
 * MySQL commits each statement by itself: a kill leaves some of them undone, and they are planned
 * again. In strict mode the server refuses each statement that a row prevents, so a row that
 * another process inserts meanwhile is never changed. The plan is then made again, and says what
 * prevents the change.
 */
const extendOnMysql = async (
  knex: Knex,
  types: ColumnTypes,
  wanted: DeclaredResources,
  tries = mostTries,
): Promise<readonly string[]> => {
  const { changes, refused, shapes } = await planTables(knex, types, wanted.declared, wanted.resources);
  if (refused.length > 0) throw new MigrationRefused(refused);
  const taken: TableChange[] = [];
  for (const change of changes) {
    if (await takeOnMysql(knex, change)) taken.push(change);
    else if (tries > 1) return [...names(taken), ...(await extendOnMysql(knex, types, wanted, tries - 1))];
    else throw new Error(`${change.name}: new rows prevented it again and again`);
  }
  await noteTables(knex, shapes);
  return names(taken);
};

/**
 * Brings the tables of declared resources to their declarations. Returns the names of the changes.
 * @throws MigrationRefused if rows prevent a change. Then nothing was changed on SQLite and PostgreSQL. On MySQL
 * and MariaDB, no change was made that loses or invents a value.
 */
export const extendTables = (knex: Knex, types: ColumnTypes, wanted: DeclaredResources): Promise<readonly string[]> => {
  if (types.server === "sqlite") return extendOnSqlite(knex, types, wanted);
  return types.server === "postgres" ? extendOnPostgres(knex, types, wanted) : extendOnMysql(knex, types, wanted);
};
