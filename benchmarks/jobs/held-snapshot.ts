/**
 * What a transaction that another program leaves open costs the queue on PostgreSQL: rate, pickup and
 * size of the table at half of the full load, with an idle REPEATABLE READ transaction and without.
 * One storage enqueues, and another one runs the jobs. It asserts nothing. `--jobs` stands for the time
 * that the transaction has been open: so many jobs ran meanwhile. From the root:
 * `node --conditions=@postern/source --import tsx benchmarks/jobs/held-snapshot.ts [--seconds=60] [--jobs=0]
 * [--rate=…]`, with `--only=held` or `--only=without` for one of the two.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { createJobRunner, defineJob, newJob } from "@postern/jobs";
import { nodeRandomness, systemClock } from "@postern/platform-node";
import { createKnexStorage } from "@postern/storage-knex";

const pg = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url))("pg");
const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
const { values } = parseArgs({ options: { seconds: text("60"), jobs: text("0"), rate: text(""), only: text("") } });
const seconds = Number(values.seconds);
/** Jobs that have become ready, run and ended while the transaction is open, before anything is measured. */
const jobsBefore = Number(values.jobs);
const server = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
/** Jobs under way at full load. */
const depth = 256;
const parts = 6;

const connected = async (url: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

const begun: number[] = [];
const enqueuedAt: number[] = [];
let onBegun = (): void => undefined;
const noop = defineJob<number>("noop", async (job) => {
  begun.push(performance.now() - (enqueuedAt[job] ?? 0));
  onBegun();
});

const appOn = (url: string) => {
  const database = createKnexStorage({ url });
  const { storage, liveness, wakeup } = database;
  const clock = systemClock();
  const ports = { ...memoryPorts(), clock, storage, liveness, randomness: nodeRandomness(), ...(wakeup && { wakeup }) };
  return { database, ports, app: createApp({ ports, jobs: [noop] }) };
};

const p99 = (pickups: readonly number[]): number =>
  pickups.toSorted((one, other) => one - other)[Math.floor(pickups.length * 0.99)] ?? Number.NaN;

const measure = async (held: boolean, given: number | undefined): Promise<number> => {
  const name = `postern_held_${randomBytes(4).toString("hex")}`;
  const admin = await connected(server);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const sender = appOn(url);
  const runs = appOn(url);
  await sender.database.migrate.latest();
  const worker = runs.app.worker({ name: "benchmark", concurrency: depth });
  const { clock, wakeup, telemetry } = runs.ports;
  const runner = createJobRunner({ worker, clock, wakeup, telemetry });
  await runner.start();
  const send = (): void => {
    const job = enqueuedAt.push(performance.now()) - 1;
    void sender.app.enqueue(newJob(noop, job));
  };
  /** Keeps that many jobs under way, and returns how many begin in a second. */
  const fullLoad = async (): Promise<number> => {
    onBegun = send;
    for (let n = 0; n < depth; n += 1) send();
    await sleep(2_000);
    const before = begun.length;
    const from = performance.now();
    await sleep(5_000);
    const rate = ((begun.length - before) * 1_000) / (performance.now() - from);
    onBegun = () => undefined;
    await sleep(500);
    return rate;
  };
  const half = given ?? (await fullLoad()) / 2;
  const spanMs = (seconds * 1_000) / parts;
  const other = await connected(url);
  if (held) await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT COUNT(*) FROM job");
  const client = await connected(url);
  await client.query(
    `INSERT INTO job (id, queue, kind, payload, priority, state, attempt, max_attempts, losses, suspect, ready_order, order_rules, created_at)
       SELECT 1e9 + n, 'default', 'noop', '1', 0, 0, 0, 10, 0, 0, 1e15 + n, 0, 1e12 FROM generate_series(1, ${jobsBefore}) AS n`,
  );
  await client.query("UPDATE job SET state = 2, runner = 1, lease = id, started_at = 1e12 WHERE state = 0");
  await client.query("UPDATE job SET state = 4, runner = NULL, finished_at = 1e12 WHERE state = 2");
  await client.query(held ? "ANALYZE job" : "VACUUM ANALYZE job");
  for (let part = 1; part <= parts; part += 1) {
    begun.length = 0;
    const from = performance.now();
    const until = from + spanMs;
    let sent = 0;
    while (performance.now() < until) {
      for (const due = ((performance.now() - from) * half) / 1_000; sent < due; sent += 1) send();
      await sleep(5);
    }
    const took = (performance.now() - from) / 1_000;
    const { rows } = await client.query(
      "SELECT pg_table_size('job') AS rows, pg_indexes_size('job') AS indexes, (SELECT COUNT(*) FROM job) AS jobs",
    );
    const [{ rows: table, indexes, jobs }] = rows;
    process.stdout.write(
      `| ${held ? "held" : "–"} | ${part} | ${(sent / took).toFixed(0)} | ${(begun.length / took).toFixed(0)} | ${p99(begun).toFixed(1)} | ${(table / jobs).toFixed(0)} | ${(indexes / jobs).toFixed(0)} |\n`,
    );
  }
  await sleep(1_000);
  process.stdout.write(
    `| ${held ? "held" : "–"} | full load afterwards | | ${(await fullLoad()).toFixed(0)} | | | |\n`,
  );
  await runner.stop(5_000);
  await Promise.all([other.end(), client.end()]);
  await Promise.all([sender.database.close(), runs.database.close()]);
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  return half;
};

process.stdout.write(
  `| snapshot | part of ${seconds} s | sent/s | begun/s | pickup p99 ms | bytes of the table for a job | of its indexes |\n|---|---|---:|---:|---:|---:|---:|\n`,
);
const given = values.rate === "" ? undefined : Number(values.rate);
if (values.only === "held") await measure(true, given);
else {
  const half = await measure(false, given);
  if (values.only === "") await measure(true, half);
}
process.exit(0);
