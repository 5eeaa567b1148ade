import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { expect, test, vi } from "vitest";
import { afterwards, call, eventually, freePort, pause, server, temporaryDirectory } from "./server-under-fault.ts";
import { isLong, outcomeOf, report, storm } from "./storm.ts";

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 });

const has = ["/usr/sbin/mariadbd", "/usr/bin/mariadbd"].find(existsSync);
const required = process.env.POSTERN_REQUIRE_DATABASES === "1";

interface PrivateDatabase {
  readonly url: string;
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it this way; resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** A MariaDB of our own, so that nobody else's is stopped. */
const privateDatabase = async (): Promise<PrivateDatabase> => {
  const directory = temporaryDirectory();
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
  const answers = async (): Promise<boolean> => {
    const connection = await mysql.createConnection({ host: "127.0.0.1", port, user: "root", connectTimeout: 500 });
    await connection.query("CREATE DATABASE IF NOT EXISTS postern");
    await connection.end();
    return true;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  afterwards(() => end("SIGKILL"));
  return {
    url: `mysql://root@127.0.0.1:${port}/postern`,
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

const shared = { POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };

test.skipIf(has === undefined && !required)(
  "MariaDB that hangs, is killed and comes back, while servers and workers are killed, too",
  async () => {
    const database = await privateDatabase();
    await database.start();
    const directory = temporaryDirectory();
    const environment = { ...shared, DATABASE_URL: database.url };
    const one = await server(directory, { ...environment, POSTERN_ROLE: "http" });
    const two = await server(directory, { ...environment, POSTERN_ROLE: "http" });
    const worker = await server(directory, { ...environment, POSTERN_ROLE: "worker" });
    for (const process of [one, two, worker]) await process.start();
    const load = storm([one.url, two.url]);

    for (let cycle = 0; cycle < (isLong ? 20 : 1); cycle += 1) {
      await pause(700);
      for (const process of [one, worker, two]) {
        await process.end("SIGKILL");
        await process.start();
        await pause(400);
      }

      const before = load.replies.length;
      database.signal("SIGSTOP");
      await pause(isLong ? 30_000 : 4_000);
      expect((await call(`${one.url}/health/live`)).status).toBe(200);
      await eventually(
        "it says that it is not ready",
        async () => (await call(`${one.url}/health/ready`)).status === 503,
        5_000,
      );
      const during = load.replies.slice(before);
      expect(during.some(({ status }) => status === 503)).toBe(true);
      database.signal("SIGCONT");
      const afterHang = await eventually(
        "it is ready",
        async () => (await call(`${one.url}/health/ready`)).status === 200,
        5_000,
      );

      await pause(500);
      await database.end("SIGKILL");
      await pause(1_500);
      expect((await call(`${one.url}/health/ready`)).status).toBe(503);
      await database.start();
      const afterKill = await eventually(
        "it is ready",
        async () => (await call(`${one.url}/health/ready`)).status === 200,
        5_000,
      );
      process.stdout.write(
        `MariaDB: ready ${Math.round(afterHang)} ms after a hang, ${Math.round(afterKill)} ms after a kill\n`,
      );
      await pause(500);
    }

    const tally = await load.end();
    const outcome = await outcomeOf(database.url, tally.accepted);
    report("MariaDB, servers and workers killed", tally, outcome);
    process.stdout.write(`MariaDB: slowest answer ${Math.round(tally.slowestMs)} ms\n`);
    expect(outcome).toEqual({ processed: tally.accepted.size, lost: [], doubled: [] });
    expect(tally.slowestMs).toBeLessThan(5_000);
  },
);
