import type { Storage } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import type { StoredPlan } from "@postern/core/ports";
import { idNumber, newEvent } from "@postern/core/testing";
import { stepPlan } from "@postern/inbox/internal";
import { expect, test } from "vitest";
import { onEachDatabase, openStorage } from "./databases.ts";

const events = 120;

const partsOn = (storage: Storage) => {
  const { clock, telemetry, wakeup } = memoryPorts();
  const now = { now: () => Date.now() };
  return {
    ports: { storage, clock: Object.assign(clock, now), telemetry, wakeup },
    providers: { find: async () => undefined },
    handlers: [],
  };
};

onEachDatabase("a plan", (databases) => {
  test("gives each event its turn once, though two processes run it at once and some batches fail", async () => {
    const url = databases.url();
    const here = await databases.fresh({ url });
    const there = openStorage({ url });
    const { storage } = here;
    const now = Date.now();
    await storage.events.accept(
      Array.from({ length: events }, (_, n) => newEvent(`evt_${n}`, { jobs: [{ kind: "log", maxAttempts: 1 }] })),
    );
    const jobs = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 1_000, now });
    await storage.jobs.finish(
      jobs.map((job) => ({ job, end: { to: "dead", error: "no use" } })),
      now,
    );
    const plan: StoredPlan = {
      id: idNumber(1),
      action: "replay",
      filter: { state: "dead" },
      text: undefined,
      force: false,
      perSecond: 1_000,
      reason: undefined,
      state: "running",
      runs: 1,
      createdAt: now,
      startedAt: now,
      endedAt: undefined,
      preview: { looked: 0, isComplete: true, matched: 0, done: 0, handlers: [], waiting: 0, skipped: [] },
      // It may catch up on a second, so every event may begin at once.
      progress: { after: 0, looked: 0, done: 0, jobs: 0, failed: 0, skipped: [], nextAt: now - 1_000 },
    };
    await storage.plans.save(plan);
    let saves = 0;
    /** Fails after every second batch was written, before its commit. */
    const failing: Storage = Object.assign(Object.create(there.storage), {
      transaction: (work: Parameters<Storage["transaction"]>[0]) =>
        there.storage.transaction(async (stores, own) => {
          const result = await work(stores, own);
          saves += 1;
          if (saves % 2 === 1) throw new Error("killed before the commit");
          return result;
        }),
    });
    const run = async (on: Storage): Promise<void> => {
      for (let waitMs: number | undefined = 0; waitMs !== undefined; ) {
        waitMs = await stepPlan(partsOn(on), { planId: plan.id, run: 1 }, { aborted: false }).catch(() => 0);
      }
    };
    await Promise.all([run(storage), run(failing), run(failing)]);
    expect(await storage.plans.find(plan.id)).toMatchObject({
      state: "done",
      progress: { looked: events, done: events, jobs: events, skipped: [] },
    });
    const made = await storage.jobRecords.list({ limit: 1_000 });
    const again = made.filter(({ replayOf }) => replayOf !== undefined);
    expect([again.length, new Set(again.map(({ eventId }) => eventId)).size]).toEqual([events, events]);
    await there.close();
    await here.close();
  });
});
