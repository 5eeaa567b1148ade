import { createApp } from "@postern/app";
import { memoryPorts, virtualClock } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { defineJob, newJob } from "@postern/jobs";
import { expect, test } from "vitest";
import { onEachDatabase, openKnex, openStorage } from "./databases.ts";

const now = 1_800_000_000_000;

/** Changes by hand that no part of Postern makes. */
const runSql = async (url: string, statements: readonly string[]): Promise<void> => {
  const db = openKnex(url);
  for (const statement of statements) await db.raw(statement);
  await db.destroy();
};

onEachDatabase("the queue", (databases) => {
  test("hands 2,000 jobs to 8 claimers of two processes, none of them twice, and all end", async () => {
    const url = await databases.prepared();
    const first = await databases.fresh({ url });
    const second = openStorage({ url });
    for (let part = 0; part < 2; part += 1) {
      await first.storage.jobs.enqueue(
        Array.from({ length: 1000 }, () => ({ kind: "a", maxAttempts: 1 })),
        now,
      );
    }
    const runs = new Map<number, number>();
    const claimer = async (index: number): Promise<void> => {
      const { jobs, jobRecords } = (index % 2 === 0 ? first : second).storage;
      for (;;) {
        const claimed = await jobs.claim({ runnerId: 100 + index, queue: "default", limit: 20, now });
        for (const { id } of claimed) runs.set(id, (runs.get(id) ?? 0) + 1);
        const kept = await jobs.finish(
          claimed.map((job) => ({ job, end: { to: "done" } as const })),
          now,
        );
        expect(kept.every(Boolean)).toBe(true);
        if (claimed.length === 0 && (await jobRecords.countByState()).ready === 0) return;
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => claimer(index)));
    expect(runs.size).toBe(2000);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    expect(await first.storage.jobRecords.countByState()).toMatchObject({ ready: 0, running: 0, done: 2000 });
  });

  test("repairs lanes in which no job has the turn because rows were changed by hand", async () => {
    const url = await databases.prepared();
    const { storage } = await databases.fresh({ url });
    const { jobs, jobRecords } = storage;
    const keys = ["gone", "ended", "without a lane", "of another", "held", "fine"];
    const lines: { first: number; second: number }[] = [];
    for (const orderKey of keys) {
      const one = { kind: "a", maxAttempts: 1, orderKey, onDead: orderKey === "held" ? "hold" : "release" } as const;
      const [first = 0, second = 0] = await jobs.enqueue([one, one], now);
      lines.push({ first, second });
    }
    const [gone, ended, , other, held] = lines;
    await runSql(url, [
      `DELETE FROM job WHERE id = ${gone?.first}`,
      `UPDATE job SET state = 5 WHERE id IN (${ended?.first}, ${held?.first})`,
      "DELETE FROM lane WHERE order_key = 'without a lane'",
      `UPDATE job SET state = 4 WHERE id = ${lines[2]?.first}`,
      `UPDATE lane SET head_job = ${other?.second} WHERE order_key = 'of another'`,
      `UPDATE job SET state = 4 WHERE id = ${other?.first}`,
    ]);
    expect(await jobs.repairTurns(now)).toBe(4);
    const states = await Promise.all(lines.map(async ({ second }) => (await jobRecords.find(second))?.state));
    expect(states).toEqual(["ready", "ready", "ready", "ready", "blocked", "blocked"]);
    expect(await jobs.repairTurns(now)).toBe(0);
    const claimed = await jobs.claim({ runnerId: 1, queue: "default", limit: 10, now });
    await jobs.finish(
      claimed.map((job) => ({ job, end: { to: "done" } as const })),
      now,
    );
    expect(await jobRecords.countByState()).toMatchObject({ blocked: 1, ready: 1 });
  });

  test("writes nothing when it promotes or claims nothing", async () => {
    const { storage } = await databases.fresh();
    // A write from inside a transaction's work would be refused.
    await storage.transaction(async () => {
      expect(await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 5, now })).toEqual([]);
      expect(await storage.jobs.promoteDue(now)).toBe(0);
      expect(await storage.jobs.repairTurns(now)).toBe(0);
    });
  });
});

onEachDatabase("a process whose clock is an hour ahead", (databases) => {
  // All processes on one SQLite file share the machine's clock.
  test.skipIf(databases.name === "SQLite")(
    "starts no job before its time, and tells handlers the right one",
    async () => {
      const { storage } = await databases.fresh();
      const hour = 3_600_000;
      const seen: string[] = [];
      let told = 0;
      const job = defineJob<string>("job", async (which, context) => {
        seen.push(which);
        told = context.now();
      });
      const ports = { ...memoryPorts(), storage, clock: virtualClock(Date.now() + hour) };
      const app = createApp({ ports, jobs: [job] });
      const worker = app.worker({ name: "ahead", concurrency: 5 });
      await worker.start();
      const now = Date.now();
      await app.enqueue(newJob(job, "later", { dueAt: now + hour / 2 }), newJob(job, "due", { dueAt: now - 1_000 }));
      expect(await worker.runDue()).toBe(1);
      await worker.stop(1_000);
      expect(seen).toEqual(["due"]);
      expect(Math.abs(told - now)).toBeLessThan(60_000);
    },
  );
});

onEachDatabase("the inbox", (databases) => {
  test("accepts each of 300 keys once from two processes at the same moment, with one job each", async () => {
    const url = await databases.prepared();
    const first = await databases.fresh({ url });
    const second = openStorage({ url });
    const keys = Array.from({ length: 300 }, (_, n) => `evt_${n}`);
    const batches = [0, 1, 2, 3, 4, 5].map((n) => (n % 2 === 0 ? keys : keys.toReversed()));
    const answers = await Promise.all(
      batches.map((batch, n) =>
        (n % 2 === 0 ? first : second).storage.events.accept(batch.map((key) => newEvent(key))),
      ),
    );
    const outcomes = answers.flat();
    expect(outcomes.filter(({ outcome }) => outcome === "accepted")).toHaveLength(300);
    expect(new Set(outcomes.map(({ id }) => id)).size).toBe(300);
    expect((await first.storage.jobRecords.countByState()).ready).toBe(300);
    const events = await first.storage.events.list({ limit: 1000 });
    expect(events.reduce((sum, { repeats }) => sum + repeats, 0)).toBe(5 * 300);
  });

  test("takes an event with a body of 4 MiB, a type and an id that are far too long", async () => {
    const { storage } = await databases.fresh();
    const long = "x".repeat(70_000);
    const body = new Uint8Array(4 * 1024 * 1024).fill(7);
    const [outcome] = await storage.events.accept([newEvent("evt_1", { body, type: long, eventId: long })]);
    const stored = await storage.events.find(outcome?.id ?? 0);
    expect(stored?.type).toBe(long);
    expect(stored?.eventId).toBe(long);
    expect(Buffer.compare(stored?.body ?? new Uint8Array(), body)).toBe(0);
    expect((await storage.events.list({ type: long, limit: 1 })).length).toBe(1);
  });

  test("lists the events of each state as it reports them one by one", async () => {
    const { storage } = await databases.fresh();
    const { events, jobs } = storage;
    const two = [
      { kind: "a", maxAttempts: 9 },
      { kind: "b", maxAttempts: 9 },
    ];
    await events.accept(Array.from({ length: 60 }, (_, n) => newEvent(`evt_${n}`, { jobs: two })));
    await events.accept([
      newEvent("ignored", { disposition: "ignored", reason: "x", jobs: [] }),
      newEvent("quarantined", { disposition: "quarantined", reason: "x", jobs: [] }),
    ]);
    const claimed = await jobs.claim({ runnerId: 1, queue: "default", limit: 100, now });
    const ends = [
      { to: "done" } as const,
      { to: "done" } as const,
      { to: "dead", error: "no" } as const,
      { to: "scheduled", at: now + 5, error: "later" } as const,
      { to: "ready" } as const,
      { to: "cancelled" } as const,
    ];
    const ending = claimed.flatMap((job, index) => {
      const end = ends[Math.floor(index / 3) % 7];
      return end === undefined ? [] : [{ job, end }];
    });
    await jobs.finish(ending, now);
    const every = await events.list({ limit: 1000 });
    const states = new Set(every.map(({ state }) => state));
    expect([...states].toSorted()).toEqual([
      "cancelled",
      "dead",
      "ignored",
      "processed",
      "processing",
      "quarantined",
      "received",
      "retrying",
    ]);
    for (const state of states) {
      expect(await events.list({ state, limit: 1000 }), state).toEqual(every.filter((event) => event.state === state));
    }
  });
});
