import type { SqliteDriver, SqliteDriverName } from "./driver.ts";
import { loadSqlite3 } from "./sqlite3-driver.ts";
import { loadBetterSqlite3, loadNodeSqlite } from "./thread-drivers.ts";

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

const firstLineOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0]?.trim() ?? "";

/**
 * The first driver that loads and whose SQLite loses nothing.
 * @throws Error that says why each of them failed, and what to do.
 */
export const firstDriver = async (candidates: DriverLoaders): Promise<SqliteDriver> => {
  const failures: string[] = [];
  for (const [name, load] of candidates) {
    try {
      const driver = await load();
      if (!losesCommits(driver.version)) return driver;
      failures.push(`${name}: its SQLite ${driver.version} can lose committed rows (it needs 3.51.3 or later)`);
    } catch (thrown) {
      failures.push(`${name}: ${firstLineOf(thrown)}`);
    }
  }
  throw new Error(
    [
      candidates.length === 1 ? "This driver for SQLite does not work here." : "No driver for SQLite works here.",
      ...failures.map((failure) => `  ${failure}`),
      "Use Node 24 or later, which has SQLite itself. Or add a driver that needs no compiler, on Node 22 or later:",
      "  npm install better-sqlite3@13    pnpm add better-sqlite3@13    yarn add better-sqlite3@13    bun add better-sqlite3@13",
      "If sqlite3 is installed and its install script was blocked, allow it. It needs a compiler:",
      "  npm install-scripts approve sqlite3 && npm rebuild sqlite3    pnpm approve-builds    bun pm trust sqlite3",
      '  yarn: "dependenciesMeta": {"sqlite3": {"built": true}} in package.json, then yarn rebuild sqlite3',
    ].join("\n"),
  );
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
