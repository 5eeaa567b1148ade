/**
 * What PostgreSQL writes for an event: commits, and bytes of its write-ahead log, when 64 events
 * with a job each come at once, and when their jobs run. From the root: `node
 * --conditions=@postern/source --import tsx benchmarks/inbox/written-bytes.ts`. It exits with 1
 * above its bounds, and needs a PostgreSQL that does little else.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { resourcesOfParts } from "@postern/app";
import { createKnexStorage } from "@postern/storage-knex";
import { body, newEvent } from "./new-event.ts";

// The package of the storage has the driver.
const pg = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url))("pg");

/** For an event: commits, and how many times the bytes of its body. */
const most = { commits: 2, timesBody: 3 };
const depth = 64;
const rounds = 40;
/** Before them, pages are written whole for the first time, and code is compiled. */
const warmUp = 20;
const server = process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";

const name = `postern_written_${randomBytes(6).toString("hex")}`;
const admin = new pg.Client({ connectionString: server });
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);

interface Counted {
  readonly commits: number;
  readonly bytes: number;
}

/** Commits so far, of all transactions that have a number, and bytes of the log. */
const counted = async (): Promise<Counted> => {
  const { rows } = await admin.query(
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes, CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS commits",
  );
  return { bytes: Number(rows[0].bytes), commits: Number(rows[0].commits) };
};

const sums = { accept: { commits: 0, bytes: 0 }, run: { commits: 0, bytes: 0 } };
const count = async (kind: keyof typeof sums, isCounted: boolean, work: () => Promise<unknown>): Promise<void> => {
  const before = await counted();
  await work();
  const after = await counted();
  if (!isCounted) return;
  sums[kind].commits += after.commits - before.commits;
  sums[kind].bytes += after.bytes - before.bytes;
};

const { storage, migrate, close } = createKnexStorage({
  url: new URL(`/${name}`, server).href,
  guardNesting: false,
  parts: ["inbox"],
  resources: resourcesOfParts(["inbox"]),
});
try {
  await migrate.latest();
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const isCounted = round >= warmUp;
    const events = Array.from({ length: depth }, () => newEvent());
    await count("accept", isCounted, () => storage.events.accept(events));
    await count("run", isCounted, async () => {
      const now = Date.now();
      const jobs = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: depth, now });
      if (jobs.length !== depth) throw new Error(`${jobs.length} of ${depth} jobs were claimed`);
      await storage.jobs.finish(
        jobs.map((job) => ({ job, end: { to: "done" } })),
        now,
      );
    });
  }
} finally {
  await close();
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
}

const events = rounds * depth;
const say = (what: string, { commits, bytes }: Counted): void =>
  console.log(
    `${what}: ${(commits / events).toFixed(3)} commits an event, ${Math.round(bytes / events)} bytes of WAL, ${(bytes / events / body.length).toFixed(2)} times the body of ${body.length}`,
  );
say(`${depth} events at once, each with its job`, sums.accept);
say("their jobs are claimed and end", sums.run);
const { commits, bytes } = sums.accept;
if (commits / events > most.commits || bytes / events / body.length > most.timesBody) {
  console.error(`The bounds are ${most.commits} commits and ${most.timesBody} times the body for an event that comes.`);
  process.exitCode = 1;
}
