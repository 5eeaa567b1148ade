import { statSync } from "node:fs";
import { BackupRefused } from "../../engine/backup-refused.ts";
import { type DatabaseAddress, parametersOf, urlOfDatabase } from "../../engine/database-url.ts";
import { type BackupFacts, type BackupOptions, makeBackup, presentBackup, type RestoreFacts } from "../backup-file.ts";
import { type Connection, type Place, placeOf } from "../copy/connection.ts";
import { isUsed } from "../copy/in-use.ts";
import { tablesIn } from "../copy/tables.ts";
import { mysqlDumps } from "./mysql-dumps.ts";
import { postgresDumps } from "./postgres-dumps.ts";
import { type DatabaseSums, differenceOf, rowsIn, sumsOf } from "./rows-of.ts";
import { databaseInUse, formerExists, type ServerDumps } from "./server-dumps.ts";
import { lineOf, runTool, type ToolCommand } from "./tool-command.ts";

type ServerAddress = Exclude<DatabaseAddress, { kind: "sqlite" }>;

const dumpsOf = async (url: string, address: ServerAddress): Promise<ServerDumps> => {
  const given = parametersOf(url, address.kind);
  if (address.kind === "mysql") return mysqlDumps(address, given);
  if (!address.pooled) return postgresDumps(address, given);
  throw new BackupRefused(
    "not_fitting",
    "the URL leads through a pooler. Name the server itself, and leave pooler out",
  );
};

/** The name of a database that stands beside another one. */
const beside = ({ longestName }: ServerDumps, database: string, suffix: string): string =>
  database.slice(0, longestName - suffix.length) + suffix;

/** Runs `work` with an empty database of its own, which is dropped afterwards, unless it got another name. */
const withScratch = async <Result>(
  dumps: ServerDumps,
  database: string,
  work: (scratch: string) => Promise<Result>,
): Promise<Result> => {
  const scratch = beside(dumps, database, "_scratch");
  await dumps.makeScratch(scratch);
  let result: Result;
  try {
    result = await work(scratch);
  } catch (thrown) {
    // Why the work failed says more than why its database stays.
    await dumps.dropScratch(scratch).catch(() => undefined);
    throw thrown;
  }
  await dumps.dropScratch(scratch);
  return result;
};

const looked = <Result>(place: Place, missing: BackupRefused, work: (connection: Connection) => Promise<Result>) =>
  place.look((connection) => {
    if (connection === undefined) throw missing;
    return work(connection);
  });

/** Puts a file into an empty database, and reads it. @throws BackupRefused `damaged` */
const loaded = async (
  url: string,
  dumps: ServerDumps,
  database: string,
  file: string,
  run: (command: ToolCommand) => Promise<void>,
): Promise<DatabaseSums> => {
  try {
    await run(await dumps.load(file, database));
  } catch (thrown) {
    if (!(thrown instanceof BackupRefused) || thrown.reason !== "tool_failed") throw thrown;
    throw new BackupRefused("damaged", `${file} cannot be put back: ${thrown.message}`);
  }
  const missing = new BackupRefused("damaged", `${file} holds no database`);
  return looked(placeOf(urlOfDatabase(url, database)), missing, async (connection) => {
    if (dumps.afterLoad !== undefined) await connection.run(dumps.afterLoad);
    return sumsOf(connection, file);
  });
};

/** Writes a database into a file. Returns what it held at that moment, if the server can tell. */
const dumped = async (
  place: Place,
  { dump, moment }: ServerDumps,
  file: string,
  verify: boolean,
  say: () => void,
): Promise<DatabaseSums | undefined> => {
  const missing = new BackupRefused("not_found", "there is no such database; check DATABASE_URL");
  return looked(place, missing, async (connection) => {
    if (!(await tablesIn(connection)).includes("schema_migration")) {
      throw new BackupRefused("not_found", "there is no database of Postern; check DATABASE_URL");
    }
    say();
    if (moment === undefined || !verify) {
      await runTool(dump(file));
      return undefined;
    }
    for (const statement of moment.begin) await connection.run(statement);
    const [named] = await connection.rows<{ name: string }>(moment.name);
    await runTool(dump(file, named?.name));
    return sumsOf(connection, "the database");
  });
};

/** See `backUp`. */
export const backUpServer = async (
  url: string,
  address: ServerAddress,
  target: string,
  options: BackupOptions = {},
): Promise<BackupFacts> => {
  const { verify = true, onCommand = () => undefined } = options;
  const dumps = await dumpsOf(url, address);
  return makeBackup(target, options, async (part, file) => {
    // The name of a moment is of no use afterwards.
    const say = (): void => onCommand(lineOf(dumps.dump(file)));
    const source = await dumped(placeOf(url), dumps, part, verify, say);
    if (!verify) return {};
    const load = (command: ToolCommand): Promise<void> => {
      onCommand(lineOf(command).replaceAll(part, file));
      return runTool(command);
    };
    const found = await withScratch(dumps, address.database, (scratch) => loaded(url, dumps, scratch, part, load));
    const differs = source === undefined ? undefined : differenceOf(source, found);
    if (differs === undefined) return rowsIn(found);
    throw new BackupRefused("damaged", `the backup differs from the database in the table ${differs}; it was deleted`);
  });
};

const exists = (url: string): Promise<boolean> => placeOf(url).look(async (connection) => connection !== undefined);

const stateOf = (place: Place, database: string): Promise<"missing" | "empty" | "filled"> =>
  place.look(async (connection) => {
    if (connection === undefined) return "missing";
    if (await isUsed(connection)) throw databaseInUse(database);
    return (await tablesIn(connection)).length === 0 ? "empty" : "filled";
  });

/** See `restore`. */
export const restoreServer = async (
  url: string,
  address: ServerAddress,
  backup: string,
  { replace = false, verify = true, onCommand = () => undefined }: BackupOptions = {},
): Promise<RestoreFacts> => {
  const { database } = address;
  const file = presentBackup(backup);
  const dumps = await dumpsOf(url, address);
  await dumps.requireDump(file);
  const place = placeOf(url);
  const state = await stateOf(place, database);
  const isFilled = state === "filled";
  if (isFilled && !replace) {
    throw new BackupRefused("exists", `${database} holds tables already; nothing was changed`);
  }
  const schema = address.kind === "postgres" ? address.schema : undefined;
  if (isFilled && (schema !== undefined || !verify)) {
    const why = schema === undefined ? "an unchecked backup" : `the schema ${schema}, which has no database of its own`;
    throw new BackupRefused(
      "not_fitting",
      `${database} holds tables already, and ${why} is restored only where there are none. Rename or drop ${schema === undefined ? "the database" : "the schema"} first; nothing was changed`,
    );
  }
  const former = isFilled ? beside(dumps, database, "_before_restore") : undefined;
  if (former !== undefined && (await exists(urlOfDatabase(url, former)))) throw formerExists(former);
  const run = (command: ToolCommand): Promise<void> => {
    onCommand(lineOf(command));
    return runTool(command);
  };
  /** Runs `work` while no process can begin with the database. */
  const whileUnused = <Result>(work: () => Promise<Result>): Promise<Result> =>
    place.exclusively(async (connection) => {
      if (await isUsed(connection)) throw databaseInUse(database);
      if (!isFilled && (await tablesIn(connection)).length > 0) throw databaseInUse(database);
      return work();
    });
  const facts = (sums: DatabaseSums): RestoreFacts => ({
    file: database,
    former,
    bytes: statSync(file).size,
    rows: rowsIn(sums),
  });
  const directly = () => whileUnused(() => loaded(url, dumps, database, file, run));
  if (!verify) return facts(await directly());

  return withScratch(dumps, database, async (scratch) => {
    const sums = await loaded(url, dumps, scratch, file, run);
    // What an administrator has set for an empty database stays, if nothing can go wrong halfway.
    if (dumps.loadsWhole && state === "empty") return facts(await directly());
    const swap = () => dumps.swap(scratch, former);
    if (dumps.swapsOpen) await whileUnused(swap);
    else {
      if (isFilled) await whileUnused(async () => undefined);
      await swap();
    }
    return facts(sums);
  });
};
