import { createRequire } from "node:module";
import type { SqliteDriverName } from "../../engine/driver-names.ts";
import { type DriverFailure, type NodeVersions, NoSqliteDriver } from "../../engine/no-driver.ts";
import type { SqliteDriver } from "./driver.ts";
import { loadSqlite3 } from "./sqlite3-driver.ts";
import { WorkerConnection } from "./worker-connection.ts";

/** The SQLite of Node itself. @throws Error that says what Node lacks. */
export const loadNodeSqlite = async (): Promise<SqliteDriver> => {
  const { sqlite: version, node } = process.versions as { readonly sqlite?: string; readonly node: string };
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (version === undefined || major < 22 || (major === 22 && minor < 13)) {
    throw new Error(`Node ${node} has none; Node 22.22.3, 24.15 and later have one that works`);
  }
  return {
    name: "node:sqlite",
    version,
    open: (file, { create }) => WorkerConnection.open({ file, create, library: undefined }),
  };
};

/** @throws what `better-sqlite3` throws if it is not installed, or is of another Node or machine. */
export const loadBetterSqlite3 = async (): Promise<SqliteDriver> => {
  const require = createRequire(import.meta.url);
  const library = require.resolve("better-sqlite3");
  const Library = require(library);
  const memory = new Library(":memory:");
  const { version } = memory.prepare("SELECT sqlite_version() AS version").get();
  memory.close();
  return {
    name: "better-sqlite3",
    version,
    open: (file, { create }) => WorkerConnection.open({ file, create, library }),
  };
};

export type DriverLoaders = readonly (readonly [SqliteDriverName, () => Promise<SqliteDriver>])[];

const loaders: DriverLoaders = [
  ["node:sqlite", loadNodeSqlite],
  ["better-sqlite3", loadBetterSqlite3],
  ["sqlite3", loadSqlite3],
];

const numberOf = (version: string): number => {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch;
};

const mended: ReadonlySet<number> = new Set([3_044_006, 3_050_007]);

/**
 * Whether this SQLite can lose committed rows when two connections make a checkpoint at once, which
 * is how Postern uses it. The fault is in all from 3.7.0 to 3.51.2 but two:
 * https://sqlite.org/wal.html#walresetbug
 */
export const losesCommits = (version: string): boolean => {
  const number = numberOf(version);
  return number >= 3_007_000 && number <= 3_051_002 && !mended.has(number);
};

const versionsOfNode: NodeVersions = process.versions;

/**
 * The first driver that loads and whose SQLite loses nothing.
 * @throws Error that says why each of them failed, and what to do.
 */
export const firstDriver = async (candidates: DriverLoaders, versions = versionsOfNode): Promise<SqliteDriver> => {
  const failures: DriverFailure[] = [];
  for (const [name, load] of candidates) {
    try {
      const driver = await load();
      if (!losesCommits(driver.version)) return driver;
      throw new Error(`its SQLite ${driver.version} can lose committed rows (it needs 3.51.3 or later)`);
    } catch (thrown) {
      failures.push({ name, thrown });
    }
  }
  const hasOwn = versions.sqlite !== undefined && !losesCommits(versions.sqlite);
  throw new NoSqliteDriver(failures, versions, hasOwn);
};

const loaded = new Map<SqliteDriverName | undefined, Promise<SqliteDriver>>();

/**
 * The driver of that name; without a name, the first that works in this process. It is loaded once.
 * @throws Error, see `firstDriver`.
 */
export const loadDriver = (name?: SqliteDriverName): Promise<SqliteDriver> => {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const wanted = firstDriver(name === undefined ? loaders : loaders.filter(([each]) => each === name));
  loaded.set(name, wanted);
  return wanted;
};
