import { createApp } from "@postern/app";
import { memoryCronPlan, memoryPorts } from "@postern/core/memory";
import { cronPlanContract, newEvent } from "@postern/core/testing";
import { type Schedule, schedule } from "@postern/jobs";
import { describe, expect, test } from "vitest";

describe("memoryCronPlan keeps the contract of CronPlan", () => {
  for (const [promise, keep] of Object.entries(cronPlanContract)) test(promise, () => keep(memoryCronPlan()));
});

const ports = () => memoryPorts();

/** Processes on one storage that look at their schedules together. */
const processes = async (schedules: readonly Schedule[], shared = ports(), count = 3) => {
  const workers = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const worker = createApp({ ports: shared, schedules }).worker({ name: `p${n}`, concurrency: 5 });
      await worker.start();
      return worker;
    }),
  );
  const look = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.fireSchedules()));
    for (const worker of workers) await worker.runDue();
    await shared.clock.advance(0);
  };
  return {
    ...shared,
    look,
    /** Lets so many minutes go by and looks in each. */
    minutes: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        await shared.clock.advance(60_000);
        await look();
      }
    },
  };
};

const collecting = (cron: string, missed?: Schedule["missed"]) => {
  const slots: string[] = [];
  const one = schedule(
    "report",
    cron,
    async ({ slot }) => void slots.push(new Date(slot).toISOString().slice(11, 16)),
    missed === undefined ? {} : { missed },
  );
  return { slots, one };
};

describe("a schedule", () => {
  test("fires once at each of its times, however many processes look", async () => {
    const { slots, one } = collecting("*/5 * * * *");
    const { minutes } = await processes([one]);
    await minutes(16);
    expect(slots).toEqual(["00:05", "00:10", "00:15"]);
  });

  test.each([
    ["skip", []],
    ["last", ["03:00"]],
    ["all", ["01:00", "02:00", "03:00"]],
  ] as const)("does with what was missed as it says: %s", async (missed, expected) => {
    const shared = ports();
    const { slots, one } = collecting("0 * * * *", missed);
    const { minutes } = await processes([one], shared);
    await minutes(1);
    await shared.storage.scheduleSlots.fire(
      { name: "report", slot: shared.clock.now() - 60_000, job: { kind: "gone", queue: "x", maxAttempts: 1 } },
      shared.clock.now(),
    );
    await shared.clock.advance(3 * 3600_000 + 30 * 60_000);
    const { look } = await processes([one], shared);
    await look();
    expect(slots).toEqual(expected);
  });

  test.each(["last", "all"] as const)("leaves out what comes in a pause, on every process: %s", async (missed) => {
    const { slots, one } = collecting("*/5 * * * *", missed);
    const { minutes, storage, clock } = await processes([one]);
    await minutes(6);
    await storage.scheduleSlots.pause("report", undefined, clock.now());
    await minutes(10);
    expect(await storage.scheduleSlots.last("report")).toBe(Date.parse("2026-01-01T00:05:00Z"));
    await storage.scheduleSlots.resume("report", clock.now());
    await minutes(5);
    expect(slots).toEqual(["00:05", "00:20"]);
  });

  test("does not fire again when the clocks are set back, and counts what a jump left out as missed", async () => {
    const { slots, one } = collecting("0 * * * *");
    const { minutes, clock } = await processes([one]);
    await minutes(61);
    clock.jump(-30 * 60_000);
    await minutes(31);
    expect(slots).toEqual(["01:00"]);
    clock.jump(5 * 3600_000);
    await minutes(1);
    expect(slots).toEqual(["01:00", "06:00"]);
  });

  test("costs nothing but a comparison in a minute in which it does not come, a thousand of them, too", async () => {
    const memory = ports();
    const counts = { reads: 0, plans: 0 };
    const { last } = memory.storage.scheduleSlots;
    const scheduleSlots = {
      ...memory.storage.scheduleSlots,
      last: (name: string) => {
        counts.reads += 1;
        return last(name);
      },
    };
    const { between, next } = memory.cronPlan;
    const cronPlan: typeof memory.cronPlan = {
      ...memory.cronPlan,
      between: (...args) => {
        counts.plans += 1;
        return between(...args);
      },
      next: (...args) => {
        counts.plans += 1;
        return next(...args);
      },
    };
    const run = async (): Promise<void> => undefined;
    const monthly = Array.from({ length: 1_000 }, (_, n) => schedule(`monthly_${n}`, "0 0 1 * *", run));
    const shared = { ...memory, cronPlan, storage: { ...memory.storage, scheduleSlots } };
    const worker = createApp({ ports: shared, parts: [], schedules: monthly }).worker({ name: "one", concurrency: 1 });
    await worker.start();
    await worker.fireSchedules();
    const started = { ...counts };
    expect(started.reads).toBeLessThan(1_100);
    for (let minute = 0; minute < 4; minute += 1) {
      await memory.clock.advance(60_000);
      await worker.fireSchedules();
    }
    // What is left is the maintenance of Postern itself.
    expect(counts.reads - started.reads).toBeLessThan(20);
    expect(counts.plans - started.plans).toBeLessThan(40);
  });

  test("fires again at the times that a clock which was wrong had passed", async () => {
    const { slots, one } = collecting("0 * * * *");
    const { minutes, clock, look } = await processes([one]);
    await look();
    clock.jump(30 * 24 * 3600_000);
    clock.jump(-30 * 24 * 3600_000);
    await minutes(61);
    expect(slots).toEqual(["01:00"]);
  });

  test("is refused when it cannot be read, or bears a handler's name", () => {
    const run = async (): Promise<void> => undefined;
    expect(() => createApp({ ports: ports(), schedules: [schedule("a", "often", run)] })).toThrow(TypeError);
    const twice = [schedule("a", "* * * * *", run), schedule("a", "* * * * *", run)];
    expect(() => createApp({ ports: ports(), schedules: twice })).toThrow('two entries named "a"');
  });
});

describe("maintenance", () => {
  test("deletes what was kept long enough, once an hour", async () => {
    const shared = ports();
    const { storage, clock } = shared;
    const { minutes } = await processes([], shared, 2);
    const now = clock.now();
    await storage.events.accept([
      newEvent("old", { receivedAt: now, jobs: [{ kind: "x", queue: "x", maxAttempts: 1 }] }),
    ]);
    const [job] = await storage.jobs.claim({ runnerId: 1_000_000, queue: "x", limit: 1, now });
    if (job === undefined) throw new Error("nothing was ready");
    await storage.jobs.finish([{ job, end: { to: "done" } }], now);
    await minutes(61);
    expect(await storage.jobRecords.find(job.id)).toBeDefined();
    clock.jump(24 * 3600_000);
    await minutes(61);
    expect(await storage.jobRecords.find(job.id)).toBeUndefined();
    expect(await storage.events.list({ limit: 5 })).toMatchObject([{ bodyKept: true }]);
    clock.jump(14 * 24 * 3600_000);
    await minutes(61);
    expect(await storage.events.list({ limit: 5 })).toMatchObject([{ bodyKept: false }]);
    clock.jump(21 * 24 * 3600_000);
    await minutes(61);
    expect(await storage.events.list({ limit: 5 })).toEqual([]);
    expect(await storage.jobRecords.list({ kind: "postern.prune", state: "dead", limit: 5 })).toEqual([]);
  });
});
