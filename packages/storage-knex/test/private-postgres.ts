import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { vi } from "vitest";
import { freePort } from "../../../test/free-port.ts";

const base = "/usr/lib/postgresql";

/** The newest version that is installed. */
const binaries = (): string | undefined => {
  try {
    const [newest] = readdirSync(base).toSorted((one, other) => Number(other) - Number(one));
    return newest === undefined ? undefined : join(base, newest, "bin");
  } catch {
    return undefined;
  }
};

/** Whether PostgreSQL is installed here and can be started. CI requires it. */
export const startsPostgres = binaries() !== undefined || process.env.POSTERN_REQUIRE_DATABASES === "1";

export interface PrivatePostgres {
  readonly port: number;
  /** Runs statements as its administrator, and returns the rows of the last one. */
  command(...statements: readonly string[]): Promise<readonly Record<string, unknown>[]>;
  /** Starts it. Resolves when it answers. */
  start(): Promise<void>;
  /** Sends a signal to all of its processes. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it and all of its processes with this signal. Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Makes it anew as a standby of another server, and starts it. */
  follow(primary: PrivatePostgres): Promise<void>;
}

const numberOf = (option: "-u" | "-g"): number => Number(execFileSync("id", [option, "postgres"]).toString());

/**
 * A PostgreSQL for a test alone. It is not started yet. `directory` is an empty folder, and `options`
 * may name files in it. It does not run as root, so root starts it as the user `postgres`.
 */
export const privatePostgres = async (directory: string, options: readonly string[] = []): Promise<PrivatePostgres> => {
  const folder = binaries() ?? "";
  const owner = process.getuid?.() === 0 ? { uid: numberOf("-u"), gid: numberOf("-g") } : {};
  const run = (program: string, args: readonly string[]): void => {
    execFileSync(join(folder, program), [...args], { ...owner, cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
  };
  const data = join(directory, "data");
  chmodSync(directory, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (owner.uid !== undefined) execFileSync("chown", ["-R", "postgres:postgres", directory]);
  run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]);
  const port = await freePort();
  let child: ChildProcess | undefined;

  const command = async (...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
    client.on("error", () => undefined);
    await client.connect();
    try {
      let rows: readonly Record<string, unknown>[] = [];
      for (const sql of statements) rows = (await client.query(sql)).rows;
      return rows;
    } finally {
      await client.end();
    }
  };
  const start = async (): Promise<void> => {
    const place = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", directory];
    child = spawn(join(folder, "postgres"), [...place, ...options], { ...owner, stdio: "ignore" });
    await vi.waitFor(() => command("SELECT 1"), { timeout: 60_000, interval: 50 });
  };

  /** Each process of PostgreSQL has a group of its own, so each gets the signal by its number. */
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid === undefined) return;
    const children = spawnSync("pgrep", ["-P", String(child.pid)])
      .stdout.toString()
      .split("\n")
      .filter(Boolean);
    for (const pid of [child.pid, ...children.map(Number)]) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };

  return {
    port,
    command,
    start,
    signal,
    end: async (name) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      if (name === "SIGKILL") signal(name);
      else child.kill(name);
      await ended;
    },
    follow: async (primary) => {
      rmSync(data, { recursive: true, force: true });
      run("pg_basebackup", [
        "-h",
        "127.0.0.1",
        "-p",
        String(primary.port),
        "-U",
        "postgres",
        "-D",
        data,
        "-R",
        "-X",
        "stream",
        "-c",
        "fast",
      ]);
      // The last line counts. As a primary, it must not wait for a standby that is not there yet.
      appendFileSync(join(data, "postgresql.auto.conf"), "synchronous_standby_names = ''\n");
      await start();
    },
  };
};
