import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "@postern/app";
import { defineJob, newJob } from "@postern/jobs";
import { memoryPorts } from "../../packages/core/dist/memory/index.js";
import { createJobRunner } from "../../packages/jobs/dist/index.js";
import { nodeRandomness, systemClock } from "../../packages/platform-node/dist/index.js";
import { createKnexStorage } from "../../packages/storage-knex/dist/index.js";
import { workingDrivers } from "../sqlite-drivers.ts";
import type { Contender } from "./closed-loop.ts";

export const slots = 256;

interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

const postern = (name: string, settings: string, place: () => Place | Promise<Place>): Contender => ({
  name,
  settings,
  start: async (began) => {
    const { url, remove } = await place();
    const database = createKnexStorage({ url });
    await database.migrate.latest();
    const clock = systemClock();
    const ports = {
      ...memoryPorts(),
      clock,
      storage: database.storage,
      liveness: database.liveness,
      randomness: nodeRandomness(),
    };
    const noop = defineJob<number>("noop", async (job) => began(job));
    const app = createApp({ ports, jobs: [noop] });
    const worker = app.worker({ name: "benchmark", concurrency: slots });
    const runner = createJobRunner({ worker, clock, wakeup: ports.wakeup, telemetry: ports.telemetry });
    await runner.start();
    let ended = 0;
    const { finish } = database.storage.jobs;
    // Jobs are counted as they are written, because counting rows would be a load of its own.
    Object.assign(database.storage.jobs, {
      finish: async (...given: Parameters<typeof finish>) => {
        const kept = await finish(...given);
        ended += kept.filter(Boolean).length;
        return kept;
      },
    });
    return {
      enqueue: (job) => app.enqueue(newJob(noop, job)),
      done: async () => ended,
      stop: async () => {
        await runner.stop(5_000);
        await database.close();
        await remove();
      },
    };
  },
});

const onSqlite = (driver: string): Contender =>
  postern(`Postern, SQLite by \`${driver}\``, "synchronous=FULL", () => {
    const directory = mkdtempSync(join(tmpdir(), "postern-benchmark-"));
    return {
      url: `sqlite:${join(directory, "jobs.db")}?driver=${driver}`,
      remove: async () => rmSync(directory, { recursive: true, force: true }),
    };
  });

const serverUrl = process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";

const onMariadb = postern("Postern, MariaDB", "innodb_flush_log_at_trx_commit=1", () => {
  const name = `postern_benchmark_${randomBytes(6).toString("hex")}`;
  return {
    url: `${serverUrl.replace(/\/$/, "")}/${name}`,
    remove: async () => {
      const { default: mysql } = await import("mysql2/promise");
      const connection = await mysql.createConnection(serverUrl);
      await connection.query(`DROP DATABASE IF EXISTS ${name}`);
      await connection.end();
    },
  };
});

const postgresUrl = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";

/** A new database of PostgreSQL, which each queue has for itself. */
const newPostgres = async (): Promise<Place> => {
  const { default: pg } = await import("pg");
  const name = `postern_benchmark_${randomBytes(6).toString("hex")}`;
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`CREATE DATABASE ${name}`);
  return { url: new URL(`/${name}`, postgresUrl).href, remove: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
};

const onPostgres = postern("Postern, PostgreSQL", "synchronous_commit=on", newPostgres);

const graphileWorker: Contender = {
  name: "graphile-worker, PostgreSQL",
  settings: "synchronous_commit=on, a local queue of 512, ends written in batches",
  start: async (began) => {
    const { Logger, run } = await import("graphile-worker");
    const { default: pg } = await import("pg");
    const { url, remove } = await newPostgres();
    let ended = 0;
    const pgPool = new pg.Pool({ connectionString: url, max: 10 });
    pgPool.on("error", () => undefined);
    const runner = await run({
      pgPool,
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      preset: {
        worker: { concurrentJobs: slots, localQueue: { size: 512 }, completeJobBatchDelay: 0 },
      },
      taskList: {
        noop: async (payload) => began((payload as { job: number }).job),
      },
    });
    runner.events.on("job:complete", () => {
      ended += 1;
    });
    return {
      enqueue: (job) => runner.addJob("noop", { job }),
      done: async () => ended,
      stop: async () => {
        await runner.stop();
        await pgPool.end();
        await remove();
      },
    };
  },
};

const pgBoss: Contender = {
  name: "pg-boss, PostgreSQL",
  settings: "synchronous_commit=on, batches of 256, polling every 500 ms, its least",
  start: async (began) => {
    const { default: PgBoss } = await import("pg-boss");
    const { url, remove } = await newPostgres();
    const boss = new PgBoss({ connectionString: url });
    boss.on("error", () => undefined);
    await boss.start();
    await boss.createQueue("noop");
    let ended = 0;
    await boss.work<{ job: number }>("noop", { batchSize: slots, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      for (const { data } of jobs) began(data.job);
      ended += jobs.length;
    });
    return {
      enqueue: (job) => boss.send("noop", { job }),
      done: async () => ended,
      stop: async () => {
        await boss.stop({ graceful: false, wait: true });
        await remove();
      },
    };
  },
};

const redis = { host: "127.0.0.1", port: 6379 };

const bullmq: Contender = {
  name: "BullMQ, Redis",
  settings: "appendonly yes, appendfsync always",
  start: async (began) => {
    const { Queue, Worker } = await import("bullmq");
    const { default: Redis } = await import("ioredis");
    const admin = new Redis(redis);
    const before = await Promise.all([admin.config("GET", "appendonly"), admin.config("GET", "appendfsync")]);
    await admin.config("SET", "appendfsync", "always");
    await admin.config("SET", "appendonly", "yes");
    const name = `postern-benchmark-${randomBytes(6).toString("hex")}`;
    const queue = new Queue(name, { connection: redis, defaultJobOptions: { removeOnComplete: true } });
    let ended = 0;
    const worker = new Worker(name, async ({ data }) => began(data.job), { connection: redis, concurrency: 50 });
    worker.on("completed", () => {
      ended += 1;
    });
    await worker.waitUntilReady();
    return {
      enqueue: (job) => queue.add("noop", { job }),
      done: async () => ended,
      serverMicroseconds: async () => {
        const used = (await admin.info("cpu")).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm);
        return [...used].reduce((sum, [, seconds]) => sum + Number(seconds) * 1e6, 0);
      },
      stop: async () => {
        await worker.close();
        await queue.obliterate({ force: true });
        await queue.close();
        for (const [option, value] of before as string[][]) await admin.config("SET", option ?? "", value ?? "");
        admin.disconnect();
      },
    };
  },
};

const plainjob: Contender = {
  name: "plainjob, SQLite",
  settings: "synchronous=NORMAL (its own), polling every 1 ms",
  start: async (began) => {
    const { better, defineQueue, defineWorker } = await import("plainjob");
    const { default: Database } = await import("better-sqlite3");
    const directory = mkdtempSync(join(tmpdir(), "postern-benchmark-"));
    const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
    const queue = defineQueue({ connection: better(new Database(join(directory, "jobs.db"))), logger: quiet });
    let ended = 0;
    const worker = defineWorker(
      "noop",
      async ({ data }: { data: string }) => {
        began(JSON.parse(data).job);
      },
      {
        queue,
        pollIntervall: 1,
        logger: quiet,
        onCompleted: () => {
          ended += 1;
        },
      },
    );
    void worker.start();
    return {
      // Its worker continues as long as there are jobs and lets nothing else run. If a handler
      // added jobs, it would never end.
      enqueue: (job) => new Promise((resolve) => setImmediate(() => resolve(queue.add("noop", { job })))),
      done: async () => ended,
      stop: async () => {
        await worker.stop();
        queue.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

/**
 * Needs Node 22.6. It is measured on MariaDB only, because its SQLite backend must be compiled for
 * the Node that runs it.
 */
const sidequest: Contender = {
  name: "Sidequest, MariaDB",
  settings: "innodb_flush_log_at_trx_commit=1, inline, polling every 1 ms",
  start: async (began) => {
    const { Engine } = await import("@sidequest/engine");
    // This is plain JavaScript: it is loaded by its path and has no types.
    const { noop, Noop } = (await import(new URL("sidequest-noop.mjs", import.meta.url).href)) as never as {
      noop: { began: (job: number) => void };
      Noop: never;
    };
    const { default: mysql } = await import("mysql2/promise");
    const name = `postern_benchmark_${randomBytes(6).toString("hex")}`;
    const connection = await mysql.createConnection(serverUrl);
    await connection.query(`CREATE DATABASE ${name}`);
    noop.began = began;
    const engine = new Engine();
    await engine.start({
      backend: { driver: "@sidequest/mysql-backend", config: `${serverUrl.replace(/\/$/, "")}/${name}` },
      queues: [{ name: "default", concurrency: slots }],
      maxConcurrentJobs: slots,
      runner: "inline",
      fork: false,
      jobPollingInterval: 1,
      gracefulShutdown: false,
      logger: { level: "error" },
    });
    return {
      enqueue: (job) => engine.build(Noop).enqueue(job as never),
      done: async () => {
        const [rows] = await connection.query(
          `SELECT COUNT(*) AS done FROM ${name}.sidequest_jobs WHERE state = 'completed'`,
        );
        return Number((rows as { done: number }[])[0]?.done);
      },
      stop: async () => {
        await engine.close();
        await connection.query(`DROP DATABASE ${name}`);
        await connection.end();
      },
    };
  },
};

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const runsSidequest = major > 22 || (major === 22 && minor >= 6);

/**
 * The contenders that run on this Node. The driver of plainjob is compiled for the Node that
 * installed it; Sidequest needs a newer one.
 */
export const contenders: readonly Contender[] = [
  ...(await workingDrivers()).map(onSqlite),
  onMariadb,
  onPostgres,
  graphileWorker,
  pgBoss,
  bullmq,
  runsSidequest ? sidequest : plainjob,
];
