import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { vi } from "vitest";
import { freePort } from "../../../test/free-port.ts";

const program = ["/usr/sbin/mariadbd", "/usr/bin/mariadbd"].find(existsSync);

/** Whether MariaDB is installed here and can be started. CI requires it. */
export const startsMariadb = program !== undefined || process.env.POSTERN_REQUIRE_DATABASES === "1";

export interface PrivateServer {
  readonly port: number;
  /** Runs statements as its administrator, and returns the rows of the last one. */
  command(...statements: readonly string[]): Promise<readonly Record<string, unknown>[]>;
  /** Starts it, with further options if this start needs some. Resolves when it answers. */
  start(further?: readonly string[]): Promise<void>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with this signal. Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * A MariaDB for a test alone, so that no other one is stopped or gets other settings. It is not
 * started yet. `directory` is an empty folder, and `options` may name files in it.
 */
export const privateServer = async (directory: string, options: readonly string[] = []): Promise<PrivateServer> => {
  chmodSync(directory, 0o755);
  const data = join(directory, "data");
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? "mysql" : userInfo().username;
  if (isRoot) execFileSync("chown", ["-R", user, directory]);
  const common = ["--no-defaults", `--user=${user}`, `--datadir=${data}`];
  execFileSync("mariadb-install-db", [...common, "--auth-root-authentication-method=normal"]);
  const port = await freePort();
  const socketPath = join(directory, "socket");
  const place = [`--socket=${socketPath}`, `--port=${port}`, "--bind-address=127.0.0.1"];
  let child: ChildProcess | undefined;
  const command = async (...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const connection = await mysql.createConnection({ socketPath, user: "root", connectTimeout: 5_000 });
    try {
      let rows: readonly Record<string, unknown>[] = [];
      for (const sql of statements) [rows] = (await connection.query(sql)) as [typeof rows, unknown];
      return rows;
    } finally {
      await connection.end();
    }
  };
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    port,
    command,
    isRunning,
    start: async (further = []) => {
      child = spawn(program ?? "mariadbd", [...common, ...place, ...options, ...further], { stdio: "ignore" });
      await vi.waitFor(() => command("SELECT 1"), { timeout: 120_000, interval: 50 });
    },
    signal: (signal) => void child?.kill(signal),
    end: async (signal) => {
      if (child === undefined || !isRunning()) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
};
