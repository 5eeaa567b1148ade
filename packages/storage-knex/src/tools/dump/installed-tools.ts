import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { vendorErrorOf } from "../../engine/translate-error.ts";
import { dumpPrograms as mysqlPrograms } from "./mysql-dump-tools.ts";
import { dumpPrograms as postgresPrograms } from "./postgres-dump-tools.ts";

/** Whether the programs that back up a database are installed here and fit its server, in words. */
export interface DumpTools {
  readonly ok: boolean;
  readonly text: string;
}

interface Needed {
  /** What has the programs. */
  readonly what: string;
  /** The names of each program, the best one first. */
  readonly programs: readonly (readonly string[])[];
  /** Whether a program fits, by what it says of itself. */
  fits(said: string): boolean;
}

const longestMs = 5_000;
/** MariaDB's programs put another number before that of their release. */
const versionIn = (said: string): string =>
  (/\d+\.\d+\.\d+/.exec(said) ?? /\d+\.\d+/.exec(said))?.[0] ?? "of an unknown version";
const run = promisify(execFile);

/** What the first of these programs that is installed says of itself. */
const saidBy = async (
  names: readonly string[],
): Promise<{ readonly name: string; readonly said: string } | undefined> => {
  for (const name of names) {
    try {
      return { name, said: (await run(name, ["--version"], { timeout: longestMs })).stdout };
    } catch (thrown) {
      if (vendorErrorOf(thrown).code !== "ENOENT") return { name, said: "" };
    }
  }
  return undefined;
};

/** `server` as `inspect` names it. */
const neededFor = (server: string): Needed | undefined => {
  const major = Number(/PostgreSQL (\d+)/.exec(server)?.[1] ?? 0);
  if (major > 0) {
    return {
      what: `PostgreSQL ${major} or later (Debian: postgresql-client-${major})`,
      programs: postgresPrograms,
      // pg_dump refuses a server that is newer than itself.
      fits: (said) => Number(/\d+/.exec(said)?.[0] ?? 0) >= major,
    };
  }
  if (!server.startsWith("mysql2")) return undefined;
  const isMariadb = /mariadb/i.test(server);
  return {
    what: isMariadb ? "MariaDB (Debian: mariadb-client)" : "MySQL 8 (mysql-client)",
    programs: mysqlPrograms(isMariadb ? "mariadb" : "mysql"),
    fits: (said) => said !== "" && /mariadb/i.test(said) === isMariadb,
  };
};

/**
 * Looks for the programs with which `backUp` and `restore` work on a server. `server` is the `driver` that
 * `inspect` gives. `undefined` if none are needed: for SQLite, and for a storage of one's own.
 */
export const dumpTools = async (server: string): Promise<DumpTools | undefined> => {
  const needed = neededFor(server);
  if (needed === undefined) return undefined;
  const found: string[] = [];
  for (const names of needed.programs) {
    const program = await saidBy(names);
    const install = `"postern backup" needs the client programs of ${needed.what}: install them, or make backups where they are`;
    if (program === undefined) return { ok: false, text: `${names[0]} is not installed here; ${install}` };
    const named = `${program.name} ${versionIn(program.said)}`;
    if (!needed.fits(program.said)) return { ok: false, text: `${named} does not fit the server; ${install}` };
    found.push(named);
  }
  return { ok: true, text: found.join(", ") };
};
