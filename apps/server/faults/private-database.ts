import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { eventually, freePort, type Scene } from "./server-under-fault.ts";

const has = ["/usr/sbin/mariadbd", "/usr/bin/mariadbd"].find(existsSync);
const required = process.env.POSTERN_REQUIRE_DATABASES === "1";

export interface PrivateDatabase {
  /** The URL for a user who may do everything with its own database and nothing with the server. */
  readonly url: string;
  /** Runs a statement as the server's administrator. */
  command(sql: string): Promise<void>;
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with this signal. Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a MariaDB for this test alone, so that no other one is stopped. */
export const privateDatabase = async (scene: Scene): Promise<PrivateDatabase> => {
  const directory = scene.temporaryDirectory();
  chmodSync(directory, 0o755);
  const data = join(directory, "data");
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? "mysql" : userInfo().username;
  if (isRoot) execFileSync("chown", [user, directory, data]);
  execFileSync("mariadb-install-db", [
    "--no-defaults",
    `--user=${user}`,
    `--datadir=${data}`,
    "--auth-root-authentication-method=normal",
  ]);
  const port = await freePort();
  let child: ChildProcess | undefined;
  const command = async (...statements: readonly string[]): Promise<void> => {
    const connection = await mysql.createConnection({ host: "127.0.0.1", port, user: "root", connectTimeout: 500 });
    for (const sql of statements) await connection.query(sql);
    await connection.end();
  };
  const answers = async (): Promise<boolean> => {
    await command(
      "CREATE DATABASE IF NOT EXISTS postern",
      "CREATE USER IF NOT EXISTS postern@127.0.0.1",
      "GRANT ALL ON postern.* TO postern@127.0.0.1",
    );
    return true;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  scene.afterwards(() => end("SIGKILL"));
  return {
    url: `mysql://postern@127.0.0.1:${port}/postern`,
    command,
    start: async () => {
      const options = [
        `--user=${user}`,
        `--datadir=${data}`,
        `--socket=${join(directory, "socket")}`,
        `--port=${port}`,
      ];
      child = spawn(has ?? "mariadbd", ["--no-defaults", ...options, "--bind-address=127.0.0.1"], { stdio: "ignore" });
      await eventually("the database answers", answers, 30_000);
    },
    signal: (signal) => void child?.kill(signal),
    end,
  };
};

/** Whether MariaDB is installed and can be started. CI requires it. */
export const hasMariaDb = has !== undefined || required;

/** Makes numbers from 0 to 1. They are the same for the same seed (mulberry32). */
export const random = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};
