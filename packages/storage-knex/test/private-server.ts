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
  /** Runs statements as its administrator. */
  command(...statements: readonly string[]): Promise<void>;
  /** Starts it. Resolves when it answers. */
  start(): Promise<void>;
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
  const command = async (...statements: readonly string[]): Promise<void> => {
    const connection = await mysql.createConnection({ socketPath, user: "root", connectTimeout: 500 });
    for (const sql of statements) await connection.query(sql);
    await connection.end();
  };
  return {
    port,
    command,
    start: async () => {
      child = spawn(program ?? "mariadbd", [...common, ...place, ...options], { stdio: "ignore" });
      await vi.waitFor(() => command("SELECT 1"), { timeout: 60_000, interval: 50 });
    },
    signal: (signal) => void child?.kill(signal),
    end: async (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
};
