import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { onEachDatabase } from "./databases.ts";

onEachDatabase("retention", ({ fresh }) => {
  test("sees whether other writes of the process waited", async () => {
    const { storage } = await fresh();
    const { queues, housekeeping } = storage;
    const pausedAt = Date.now();
    await queues.pause("first", undefined, pausedAt);
    const alone = housekeeping.waits();
    for (let n = 0; n < 5; n += 1) await queues.pause("first", undefined, pausedAt);
    expect(housekeeping.waits()).toBe(alone);
    await Promise.all(Array.from({ length: 10 }, (_, n) => queues.pause(`queue-${n}`, undefined, pausedAt)));
    expect(housekeeping.waits()).toBeGreaterThan(alone);
  });

  test("deletes thousands of events with all that belongs to them, each once", async () => {
    const { storage } = await fresh();
    const { events, jobs, housekeeping } = storage;
    const now = Date.now();
    const due = 2_400;
    for (let made = 0; made < due; made += 400) {
      await events.accept(
        Array.from({ length: 400 }, (_, at) => newEvent(`evt_${made + at}`, { receivedAt: now - 10_000 + made + at })),
      );
    }
    await events.accept([newEvent("stays", { receivedAt: now })]);
    const failing = { error: "boom", to: "dead" } as const;
    for (;;) {
      const claimed = await jobs.claim({ runnerId: 1_000_000, queue: "default", limit: 1_000, now });
      if (claimed.length === 0) break;
      await jobs.finish(
        claimed.map((job) => ({ job, end: job.id % 100 === 0 ? failing : { to: "done" as const } })),
        now,
      );
    }
    const counts = { bodies: 0, events: 0 };
    for (const what of ["bodies", "events"] as const) {
      for (let count = 200; count === 200; counts[what] += count) count = await housekeeping.prune(what, now, 200);
      expect(await housekeeping.due(what, now, 10_000)).toEqual({ rows: 0, oldest: undefined });
    }
    // The bodies of dead events stay until their events go.
    expect(counts.bodies).toBeLessThan(due);
    expect(counts.bodies).toBeGreaterThan(due * 0.98);
    expect(counts.events).toBe(due);
    expect((await events.list({ limit: 10 })).map(({ eventId }) => eventId)).toEqual(["stays"]);
    expect(await storage.jobRecords.list({ limit: 10 })).toHaveLength(1);
    expect((await storage.jobRecords.causes({ since: 0, limit: 5 })).failures).toBe(0);
  });
});
