import { AppError, type Resource, type Storage } from "@postern/core";
import { OptionError } from "@postern/core/internal";
import { CopyRefused } from "../../engine/copy-refused.ts";
import { MigrationRefused } from "../../engine/table-change.ts";
import { declaredResources, ownTables } from "../../schema/declared/declared-tables.ts";
import { notedTables } from "../../schema/declared/table-notes.ts";
import { markerTable } from "../../schema/marker-table.ts";
import type { Wanted } from "../../schema/migrate.ts";
import { migrations } from "../../schema/migrations/index.ts";
import { type StoragePart, storageParts } from "../../schema/migrations/migration.ts";
import { identityOf } from "../../server/lineage.ts";
import { createKnexStorage } from "../../storage/create-knex-storage.ts";
import { checksumOf, type TableSum } from "./checksum.ts";
import { type Connection, placeOf } from "./connection.ts";
import { requireUnused } from "./in-use.ts";
import {
  begunCopy,
  dropMarker,
  makeMarker,
  noteBegun,
  noteProgress,
  progressOf,
  type TableProgress,
} from "./marker.ts";
import { keyOf, pagesOf } from "./pages.ts";
import { countRows, hasRows, type TablePair, tablePairs, tablesIn } from "./tables.ts";
import { writeRows } from "./write-rows.ts";

/** How far a copy has come. */
export interface CopyProgress {
  /** `verify`: both databases are read again, and compared. */
  readonly phase: "copy" | "verify";
  readonly table: string;
  /** Rows of all tables that are done in this phase. */
  readonly rows: number;
  readonly of: number;
}

export interface CopyOptions {
  /** The URL of the database that is copied. Nothing may use it meanwhile. */
  readonly from: string;
  /** The URL of an empty database, which is made if it does not exist, or of an unfinished copy. */
  readonly to: string;
  /** The resources and parts of the application, as for `createKnexStorage`. */
  readonly resources?: readonly Resource[];
  readonly parts?: readonly StoragePart[];
  /** Looks at the source before anything is changed. If it throws, nothing is copied. */
  readonly check?: (source: Storage) => Promise<void>;
  readonly onProgress?: (progress: CopyProgress) => void;
}

interface CopiedTableFacts extends TableSum {
  readonly table: string;
}

export interface CopyFacts {
  /** Every table that was copied, in the order of names. */
  readonly tables: readonly CopiedTableFacts[];
  /** Whether a copy that had been interrupted was continued. */
  readonly isContinued: boolean;
}

/** Tables that migrations fill, so that each database has its own. */
const ofMigrations: ReadonlySet<string> = new Set(["schema_migration", "schema_migration_lock", "database_identity"]);
/** SQLite's index of the keys of events, which is made from the events. */
const derived: ReadonlySet<string> = new Set(["event_key", "event_key_log"]);
/** Tables in which migrations leave rows. The rows of the source replace them. */
const seeded: ReadonlySet<string> = new Set(["id_block", "declared_table", "nfc_column"]);

type Settings = Pick<CopyOptions, "resources" | "parts">;

/** Every table that Postern knows with these declarations. */
const knownTables = ({ resources = [], parts = storageParts }: Settings): ReadonlySet<string> => {
  const declared = declaredResources(new Map(resources.map((each) => [each.name, each])), parts);
  return new Set([...ownTables, ...declared.map(({ table }) => table)]);
};

const isCopied = (table: string): boolean => !ofMigrations.has(table) && !derived.has(table);

/** @throws CopyRefused if the target holds rows that no copy has put there. */
const requireEmpty = async (to: Connection, known: ReadonlySet<string>): Promise<void> => {
  const filled: string[] = [];
  for (const table of await tablesIn(to)) {
    if (known.has(table) && isCopied(table) && !seeded.has(table) && (await hasRows(to, table))) filled.push(table);
  }
  if (filled.length === 0) return;
  throw new CopyRefused(
    "not_empty",
    `the target has rows already (${filled.toSorted().join(", ")}). Name an empty database`,
  );
};

/** Looks at the source's schema and rows. @throws CopyRefused, and what `check` throws. */
const examineSource = async ({ from, resources = [], parts = storageParts, check }: CopyOptions): Promise<void> => {
  const isThere = await placeOf(from).look(async (connection) => connection !== undefined);
  if (!isThere) throw new CopyRefused("not_found", "there is no source: check the URL of --from");
  const { storage, migrate, close } = createKnexStorage({ url: from, resources, parts });
  try {
    const { applied, pending } = await migrate.status().catch((thrown: unknown) => {
      if (!(thrown instanceof MigrationRefused)) throw thrown;
      throw new CopyRefused("not_current", `the source cannot be copied: ${thrown.message}`);
    });
    const newer = applied.filter((step) => !migrations.some(({ name }) => name === step));
    if (newer.length > 0) {
      throw new CopyRefused("not_current", `a newer version made the source (${newer.join(", ")}): use that version`);
    }
    if (pending.length > 0) {
      throw new CopyRefused(
        "not_current",
        `the source is not up to date (${pending.join(", ")}): run \`postern migrate\` on it first`,
      );
    }
    await check?.(storage);
  } finally {
    await close();
  }
};

/**
 * Marks the target before it has tables: a kill at any moment leaves nothing that a server would start on.
 * Then makes its tables, or extends those of a copy that an older version has begun.
 */
const prepareTarget = async (options: CopyOptions, known: ReadonlySet<string>): Promise<void> => {
  const { to, resources = [], parts = storageParts } = options;
  const place = placeOf(to);
  const copying = await place.exclusively<Required<Wanted>["copying"]>(async (connection) => {
    // Before the first statement, see `requireUnused`. A server that uses the target goes on.
    await requireUnused(connection, "target");
    if ((await tablesIn(connection)).includes(markerTable)) {
      return (await begunCopy(connection)) === undefined ? "before its rows" : "amid its rows";
    }
    await requireEmpty(connection, known);
    await makeMarker(connection);
    return "before its rows";
  });
  const named = new Map(resources.map((each) => [each.name, each]));
  await place.migrate({ parts, declared: declaredResources(named, parts), resources: named, copying });
};

/** @throws CopyRefused if a table of the source would be left behind with its rows. */
const requireNothingLeft = async (
  from: Connection,
  known: ReadonlySet<string>,
  copied: readonly string[],
): Promise<void> => {
  const noted = await notedTables(from.knex, from.types);
  const owned = new Set([...known, ...noted.map(({ table }) => table)]);
  const left: string[] = [];
  for (const table of await tablesIn(from)) {
    if (!owned.has(table) || !isCopied(table) || copied.includes(table)) continue;
    if (await hasRows(from, table)) left.push(table);
  }
  if (left.length === 0) return;
  throw new CopyRefused(
    "not_fitting",
    `the source has rows in tables that are not declared, or of parts that are not in use (${left.join(", ")}). Declare them, or drop these tables first`,
  );
};

/** PostgreSQL checks references row by row and in the order of writing. They are taken away until all rows are there. */
const takeForeignKeys = async ({ rows, run }: Connection, tables: readonly TablePair[]): Promise<readonly string[]> => {
  const found = await rows<{ table: string; name: string; definition: string }>(
    "SELECT relname AS `table`, conname AS name, pg_get_constraintdef(pg_constraint.oid) AS definition " +
      "FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid " +
      "WHERE contype = 'f' AND relnamespace = CAST(current_schema() AS regnamespace) ORDER BY relname, conname",
  );
  const own = found.filter(({ table }) => tables.some(({ name }) => name === table));
  for (const { table, name } of own) await run(`ALTER TABLE \`${table}\` DROP CONSTRAINT \`${name}\``);
  return own.map(({ table, name, definition }) => `ALTER TABLE \`${table}\` ADD CONSTRAINT \`${name}\` ${definition}`);
};

const begin = async (to: Connection, origin: number | undefined, tables: readonly TablePair[]): Promise<void> => {
  await to.atOnce(async () => {
    const foreignKeys = to.server === "postgres" ? await takeForeignKeys(to, tables) : [];
    await noteBegun(to, { origin, foreignKeys });
  });
};

/** References are compared by the checksums, and by PostgreSQL at the end. */
const withoutReferences = { sqlite: "PRAGMA foreign_keys = OFF", mysql: "SET SESSION foreign_key_checks = 0" } as const;

const copyTable = async (
  from: Connection,
  to: Connection,
  { name, from: source, to: target }: TablePair,
  onRows: (rows: number) => void,
): Promise<void> => {
  let progress: TableProgress = await progressOf(to, name);
  onRows(progress.rows);
  if (progress.isDone) return;
  if (progress.last === undefined && seeded.has(name)) await to.run(`DELETE FROM \`${name}\``);
  for await (const page of pagesOf(from, source, progress.last)) {
    const end = page.at(-1) ?? [];
    progress = { rows: progress.rows + page.length, last: keyOf(source, end), isDone: false };
    await to.atOnce(async () => {
      await writeRows(to, target, page);
      await noteProgress(to, name, progress);
    });
    onRows(page.length);
  }
  await to.atOnce(() => noteProgress(to, name, { ...progress, isDone: true }));
};

/** Lets numbers go on behind those that were copied. SQLite and MySQL do so by themselves. */
const moveSequences = async ({ rows, run }: Connection, tables: readonly TablePair[]): Promise<void> => {
  const found = await rows<{ table: string; name: string }>(
    "SELECT relname AS `table`, attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid " +
      "WHERE attidentity <> '' AND relnamespace = CAST(current_schema() AS regnamespace)",
  );
  for (const { table, name } of found) {
    if (!tables.some((each) => each.name === table)) continue;
    await run(
      `SELECT setval(pg_get_serial_sequence(quote_ident('${table}'), '${name}'), COALESCE(MAX(\`${name}\`), 0) + 1, false) FROM \`${table}\``,
    );
  }
};

const finish = async (to: Connection, tables: readonly TablePair[]): Promise<void> => {
  const foreignKeys = (await begunCopy(to))?.foreignKeys ?? [];
  await to.atOnce(async () => {
    for (const statement of foreignKeys) await to.run(statement);
    if (to.server === "postgres") await moveSequences(to, tables);
    await dropMarker(to);
  });
};

/** @throws CopyRefused unless both databases hold the same rows. */
const compare = async (
  from: Connection,
  to: Connection,
  tables: readonly TablePair[],
  onRows: (table: string, rows: number) => void,
): Promise<readonly CopiedTableFacts[]> => {
  const facts: CopiedTableFacts[] = [];
  for (const { name, from: source, to: target } of tables) {
    const [was, is] = await Promise.all([
      checksumOf(from, source),
      checksumOf(to, target, (rows) => onRows(name, rows)),
    ]);
    if (was.checksum !== is.checksum) {
      throw new CopyRefused(
        "differs",
        `the table ${name} differs: the source has ${was.rows} rows with the checksum ${was.checksum}, the target ${is.rows} with ${is.checksum}. The source was changed since the copy began, or the target was. Empty the target, and copy again`,
      );
    }
    facts.push({ table: name, ...is });
  }
  return facts;
};

/** What a copy works on, once it may begin or go on. @throws CopyRefused */
const begunBetween = async (
  from: Connection,
  to: Connection,
  known: ReadonlySet<string>,
): Promise<{ readonly tables: readonly TablePair[]; readonly isContinued: boolean }> => {
  const begun = await begunCopy(to);
  try {
    const names = (await tablesIn(to)).filter((table) => known.has(table) && isCopied(table)).toSorted();
    await requireNothingLeft(from, known, names);
    const tables = await tablePairs(from, to, names);
    const origin = await identityOf((sql) => from.rows(sql));
    if (begun !== undefined && begun.origin !== origin) {
      throw new CopyRefused(
        "not_empty",
        "the target holds a part of a copy of another database. Name an empty database",
      );
    }
    if (begun === undefined) {
      await requireEmpty(to, known);
      await begin(to, origin, tables);
    }
    return { tables, isContinued: begun !== undefined };
  } catch (thrown) {
    // Nothing was copied, so the target is as good as an empty one.
    if (begun === undefined && thrown instanceof CopyRefused) await dropMarker(to);
    throw thrown;
  }
};

const copyBetween = async (
  from: Connection,
  to: Connection,
  known: ReadonlySet<string>,
  onProgress: CopyOptions["onProgress"] = () => undefined,
): Promise<CopyFacts> => {
  await requireUnused(from, "source");
  await requireUnused(to, "target");
  const { tables, isContinued } = await begunBetween(from, to, known);
  if (to.server !== "postgres") await to.run(withoutReferences[to.server]);

  let of = 0;
  for (const { name } of tables) of += await countRows(from, name);
  let done = 0;
  for (const pair of tables) {
    await copyTable(from, to, pair, (rows) => {
      done += rows;
      onProgress({ phase: "copy", table: pair.name, rows: done, of });
    });
  }
  done = 0;
  const facts = await compare(from, to, tables, (table, rows) => {
    done += rows;
    onProgress({ phase: "verify", table, rows: done, of });
  });
  await finish(to, tables);
  return { tables: facts, isContinued };
};

/** Says which of the two databases a failure is about: their errors do not tell. */
const naming = async (side: "source" | "target", work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (thrown) {
    const option = side === "source" ? "--from" : "--to";
    if (thrown instanceof OptionError) throw new OptionError(`the URL of ${option}`, thrown.reason);
    if (!(thrown instanceof AppError && thrown.code === "unavailable")) throw thrown;
    const why = thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
    throw new CopyRefused("unreachable", `the ${side} (${option}) does not answer: ${why}`);
  }
};

/**
 * Copies all rows of a database into an empty one of any kind, which it makes and migrates. Both have
 * the same rows afterwards, which is compared by a checksum of each table. No process may use either of
 * them meanwhile. After a kill, call it again with the same databases: it goes on, and until it is done
 * no server starts on the target.
 * @throws CopyRefused before the first row, or with `differs` or `not_fitting` later; TypeError for an
 *   invalid URL.
 */
export const copyDatabase = async (options: CopyOptions): Promise<CopyFacts> => {
  const { from, to, onProgress } = options;
  const known = knownTables(options);
  await naming("source", examineSource(options));
  await naming("target", prepareTarget(options, known));
  return placeOf(from).exclusively((source) =>
    placeOf(to).exclusively((target) => copyBetween(source, target, known, onProgress)),
  );
};
