import { createApp } from "@postern/app";
import type { Storage } from "@postern/core";
import { noCounts } from "@postern/core/internal";
import { memoryPorts } from "@postern/core/memory";
import type { StoredPlan, StoredProvider } from "@postern/core/ports";
import { idNumber, newEvent } from "@postern/core/testing";
import { on } from "@postern/inbox";
import { defineJob, newJob } from "@postern/jobs";
import { expect, test } from "vitest";
import { codedColumns, type ParsedColumn, parsedColumns } from "../src/engine/stored-json.ts";
import { onEachDatabase, withKnex } from "./databases.ts";

const now = 1_800_000_000_000;

/** No JSON, JSON that was cut off, and JSON of another form than some column needs. */
const texts = ["{bad", '{"n": 1', "", "null", "17", '"text"', "[1]", "{}", '{"queues": 3}', '{"jobs": [null]}'];

const isReadable = (column: ParsedColumn, text: string): boolean => {
  try {
    return parsedColumns[column](JSON.parse(text));
  } catch {
    return false;
  }
};

/** What is stored in a column's table, by number from 1 to 3, and how it is read. */
interface Scene {
  store(storage: Storage, n: number): Promise<unknown>;
  /** The column that tells rows apart. Default: `id`. */
  readonly key?: string;
  /** The numbers of the rows that are read whole. */
  whole(storage: Storage): Promise<readonly number[]>;
  /** Asks for row 2 alone, which is refused with its id. Absent if it is shown without the value. */
  readonly alone?: (storage: Storage) => Promise<unknown>;
}

const plan = (n: number): StoredPlan => ({
  id: idNumber(n),
  action: "replay",
  filter: {},
  text: undefined,
  force: false,
  perSecond: 50,
  reason: undefined,
  state: "running",
  runs: 0,
  createdAt: now + n,
  startedAt: undefined,
  endedAt: undefined,
  preview: { looked: 0, isComplete: true, matched: 0, done: 0, handlers: [], waiting: 0, skipped: [] },
  progress: { after: 0, looked: 0, done: 0, jobs: 0, failed: 0, skipped: [], nextAt: undefined },
});

const provider = (n: number): StoredProvider => ({
  id: idNumber(n),
  name: `sender-${n}`,
  scheme: "standard-webhooks",
  toleranceSeconds: 300,
  allowShort: false,
  dedupe: undefined,
  headers: [],
  replayOnResend: false,
  keepRefusedBodies: false,
  jwksUrl: undefined,
  schemas: undefined,
  sealedSettings: undefined,
  keys: [],
});

const oneJob = async (storage: Storage): Promise<number> =>
  (await storage.jobs.enqueue([{ kind: "work", maxAttempts: 9, payload: { n: 1 } }], now))[0] ?? 0;

const failOnce = async (storage: Storage, n: number): Promise<void> => {
  if (n === 1) await oneJob(storage);
  await storage.jobs.promoteDue(now);
  const [job] = await storage.jobs.claim({ runnerId: 900_000, queue: "default", limit: 1, now });
  if (job === undefined) throw new Error("no job was ready");
  const log = [{ at: now, level: "info" as const, message: "told", fields: {} }];
  await storage.jobs.finish([{ job, end: { to: "scheduled", at: now, error: `no. ${n}`, log } }], now);
};

const numbers = <Row>(rows: readonly Row[], numberOf: (row: Row) => number | undefined): readonly number[] =>
  rows.flatMap((row) => numberOf(row) ?? []).toSorted();

const scenes: Readonly<Record<ParsedColumn, Scene>> = {
  "job.payload": {
    store: oneJob,
    whole: async ({ jobs }) =>
      numbers(await jobs.claim({ runnerId: 900_000, queue: "default", limit: 9, now }), (job) =>
        job.unreadable === undefined ? job.id : undefined,
      ),
  },
  "inbox_event.headers": {
    store: ({ events }, n) => events.accept([newEvent(`e${n}`)]),
    whole: async ({ events }) =>
      numbers(await events.load([1, 2, 3]), (event) => (event.unreadable === undefined ? event.id : undefined)),
  },
  "inbox_event.outside": {
    store: ({ events }, n) => events.accept([newEvent(`e${n}`, { query: "a=1" })]),
    whole: async ({ events }) =>
      numbers(await events.load([1, 2, 3]), (event) => (event.unreadable === undefined ? event.id : undefined)),
  },
  "job_failure.log": {
    store: failOnce,
    whole: async ({ jobRecords }) =>
      numbers(await jobRecords.failures(1, 9), ({ attempt, log }) => (log.length > 0 ? attempt : undefined)),
  },
  "forward_attempt.headers": {
    store: ({ forwards }, n) =>
      forwards.keep([
        {
          eventId: 7,
          handler: "forward:a",
          attempt: n,
          at: now,
          ms: 1,
          status: 200,
          headers: { "x-n": `${n}` },
          body: "",
          error: undefined,
        },
      ]),
    whole: async ({ forwards }) =>
      numbers(await forwards.list(7, 9), ({ headers }) => (headers["x-n"] ? Number(headers["x-n"]) : undefined)),
  },
  "runner.kinds": {
    store: ({ runners }, n) => runners.register({ name: `${n}`, kinds: ["work"] }, now),
    key: "name",
    whole: async ({ runners }) => {
      const live = await runners.live();
      expect(live.length).toBe(3);
      return numbers(live, ({ name, kinds }) => (kinds.length > 0 ? Number(name) : undefined));
    },
  },
  "runner.limits": {
    store: ({ runners }, n) =>
      runners.register({ name: `${n}`, kinds: ["work"], limits: { concurrency: 1, queues: {} } }, now),
    key: "name",
    whole: async ({ runners }) => {
      const live = await runners.live();
      expect(live.length).toBe(3);
      return numbers(live, ({ name, limits }) => (limits === undefined ? undefined : Number(name)));
    },
  },
  "webhook_providers.definition": {
    store: ({ providers }, n) => providers.save(provider(n), now),
    key: "name",
    whole: async ({ providers }) =>
      numbers(await providers.list(), ({ name, unreadable }) =>
        unreadable === undefined ? Number(name.at(-1)) : undefined,
      ),
  },
  "event_plan.details": {
    store: ({ plans }, n) => plans.save(plan(n)),
    whole: async ({ plans }) =>
      numbers(await plans.list({ limit: 9, state: "running" }), ({ createdAt }) => createdAt - now),
    alone: ({ plans }) => plans.find(idNumber(2)),
  },
  "refused_delivery.details": {
    store: ({ refusals }, n) =>
      refusals.add(
        [
          {
            id: idNumber(n),
            at: now + n,
            provider: "stripe",
            reason: "signature_mismatch",
            requestId: "r",
            address: undefined,
            bytes: 17,
            unkept: 0,
            trace: { scheme: "stripe", valid: false, headers: [], signatures: 1, covered: ["body"] },
            body: undefined,
          },
        ],
        9,
      ),
    whole: async ({ refusals }) => numbers(await refusals.list({ limit: 9 }), ({ at }) => at - now),
    alone: ({ refusals }) => refusals.find(idNumber(2)),
  },
  "count_bucket.counts": {
    store: ({ counts }, n) => counts.add([{ ...noCounts, received: n, step: "minute", at: n * 60_000, provider: "p" }]),
    key: "at",
    whole: async ({ counts }) =>
      numbers(
        await counts.list({ step: "minute", provider: "p", since: 0, until: now, limit: 9 }),
        ({ received }) => received || undefined,
      ),
  },
  "feed_entry.body": {
    store: async ({ feed }, n) => {
      await feed.alert({ kind: "a", text: `${n}`, details: {} }, now);
      await feed.number();
    },
    whole: async ({ feed }) =>
      numbers(await feed.read(0, 9), ({ entries: [first] }) =>
        first?.kind === "alert" ? Number(first.alert.text) : undefined,
      ),
  },
  "signing_key.public_key": {
    store: ({ signingKeys }, n) =>
      signingKeys.save({
        kid: `key-${n}`,
        state: "retired",
        publicKey: { kty: "EC", crv: "P-256", x: `x${n}`, y: `y${n}` },
        sealedKey: undefined,
        createdAt: now + n,
        activeFrom: undefined,
        endsAt: undefined,
      }),
    key: "kid",
    whole: async ({ signingKeys }) => numbers(await signingKeys.list(), ({ createdAt }) => createdAt - now),
  },
};

onEachDatabase("a stored value that cannot be read", (databases) => {
  for (const [column, { store, key = "id", whole, alone }] of Object.entries(scenes) as [ParsedColumn, Scene][]) {
    test(`of ${column} concerns its own row alone`, async () => {
      const opened = await databases.fresh();
      const { storage } = opened;
      for (const n of [1, 2, 3]) await store(storage, n);
      const [table = "", name = ""] = column.split(".");
      await withKnex(databases.urlOf(opened), async (db) => {
        const rows = await db(table).select(key).orderBy(key);
        const { [key]: second } = rows[1] ?? {};
        for (const text of texts) {
          if (isReadable(column, text)) continue;
          await db(table)
            .where(key, second)
            .update({ [name]: text });
          expect(await whole(storage), `with ${text} in ${column}`).toEqual([1, 3]);
          if (alone !== undefined) await expect(alone(storage)).rejects.toThrow(`${column} of ${second}`);
          // A claim has taken the jobs.
          if (table === "job") await db("job").update({ state: 0, runner: null });
        }
      });
    });
  }

  test.each(codedColumns)("a number in %s that stands for no word concerns its own row alone", async (column) => {
    const opened = await databases.fresh();
    const { storage } = opened;
    const job = { kind: "log", maxAttempts: 3 };
    await storage.events.accept(["a", "b", "c"].map((name) => newEvent(name, { jobs: [job] })));
    const [table = "", name = ""] = column.split(".");
    for (const code of [99, -1]) {
      await withKnex(databases.urlOf(opened), async (db) => {
        const rows = await db(table).select("id").orderBy("id");
        await db(table)
          .where({ id: rows[1]?.id })
          .update({ [name]: code });
        const told = `the stored value of ${column} of ${rows[1]?.id} cannot be read; repair it in the database`;
        const events = await storage.events.list({ after: 0, limit: 9 });
        const jobs = await storage.jobRecords.list({ after: 0, limit: 9 });
        const counts = await storage.jobRecords.countByState();
        if (table === "job") {
          expect(jobs.map(({ state }) => state)).toEqual(["ready", "dead", "ready"]);
          expect(jobs[1]?.lastError).toBe(told);
          expect(counts).toMatchObject({ ready: 2, dead: 1 });
          expect(events.map(({ state }) => state)).toEqual(["received", "dead", "received"]);
        } else {
          expect(events.map(({ state }) => state)).toEqual(["received", "quarantined", "received"]);
          expect(events.map(({ reason }) => reason)).toEqual([undefined, told, undefined]);
          expect((await storage.events.load([rows[1]?.id]))[0]).toMatchObject({ reason: told });
        }
      });
    }
  });

  test("makes its job dead with its id, an alert and a cause, and all others run", async () => {
    const opened = await databases.fresh();
    const { storage } = opened;
    const ran: string[] = [];
    const work = defineJob<{ n: number }>("work", async ({ n }) => void ran.push(`job ${n}`));
    const handler = on("stripe", "invoice.paid", async (event) => void ran.push(`event ${event.id}`), { name: "log" });
    const ports = { ...memoryPorts(), storage };
    const app = createApp({ ports, jobs: [work], handlers: [handler] });
    const ids = await app.enqueue(...[1, 2, 3, 4, 5, 6].map((n) => newJob(work, { n })));
    const events = await storage.events.accept(["a", "b", "c"].map((name) => newEvent(name)));
    await withKnex(databases.urlOf(opened), async (db) => {
      await db("job").where({ id: ids[2] }).update({ payload: "{bad" });
      await db("inbox_event").where({ id: events[1]?.id }).update({ headers: "[bad" });
    });
    const worker = app.worker({ name: "only", concurrency: 20 });
    await worker.start();
    const isUnfinished = async () => {
      const { ready, running } = await storage.jobRecords.countByState();
      return ready + running > 0;
    };
    for (let turn = 0; turn < 500 && (await isUnfinished()); turn += 1) {
      await worker.runDue();
      await ports.clock.advance(0);
    }
    await worker.stop(1_000);
    expect(ran.toSorted()).toEqual([
      `event ${events[0]?.id}`,
      `event ${events[2]?.id}`,
      "job 1",
      "job 2",
      "job 4",
      "job 5",
      "job 6",
    ]);
    const dead = await storage.jobRecords.list({ state: "dead", limit: 9 });
    expect(dead.map(({ lastError }) => lastError).toSorted()).toEqual([
      expect.stringContaining(`inbox_event.headers of ${events[1]?.id}`),
      expect.stringContaining(`job.payload of ${ids[2]}`),
    ]);
    const alerts = ports.alerts.raised.filter(({ kind }) => kind === "job.dead");
    expect(alerts.map(({ details }) => details.job).toSorted()).toEqual(dead.map(({ id }) => id).toSorted());
    const { causes } = await storage.jobRecords.causes({ since: 0, limit: 9 });
    expect(causes.length).toBe(2);
  });
});
