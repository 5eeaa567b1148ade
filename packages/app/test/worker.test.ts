import { createApp } from "@postern/app";
import { AppError } from "@postern/core";
import { livenessRegistry, type MemoryPorts, memoryLiveness, memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { type InboxHandler, on } from "@postern/inbox";
import type { Worker } from "@postern/jobs";
import { defineJob, newJob } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { hangs, withJobs } from "./with-jobs.ts";

/** Two processes on one storage, in one time. */
const twoProcesses = async (handler: InboxHandler, canTell = true) => {
  const shared = memoryPorts();
  const registry = livenessRegistry();
  const process = async (name: string): Promise<{ worker: Worker; die(): void; ports: MemoryPorts }> => {
    const liveness = memoryLiveness({ registry, canTell });
    const ports = { ...shared, liveness };
    const worker = createApp({ ports, handlers: [handler] }).worker({ name, concurrency: 5 });
    await worker.start();
    return { worker, die: () => liveness.die(), ports };
  };
  const [first, second] = [await process("first"), await process("second")];
  await shared.storage.events.accept([newEvent("evt_1", { jobs: [{ kind: handler.name, maxAttempts: 5 }] })]);
  const stateOf = async (): Promise<string | undefined> => (await shared.storage.events.list({ limit: 1 }))[0]?.state;
  return { first, second, clock: shared.clock, storage: shared.storage, stateOf };
};

describe("a worker", () => {
  test("looks for lost turns of order keys every 30 seconds, and says when it has found some", async () => {
    const ports = memoryPorts();
    let looks = 0;
    const repairTurns = async (): Promise<number> => {
      looks += 1;
      return looks === 2 ? 3 : 0;
    };
    const storage = { ...ports.storage, jobs: { ...ports.storage.jobs, repairTurns } };
    const worker = createApp({ ports: { ...ports, storage } }).worker({ name: "only", concurrency: 1 });
    await worker.start();
    for (let second = 0; second < 59; second += 1) {
      await worker.watch();
      await ports.clock.advance(1_000);
    }
    expect(looks).toBe(2);
    expect(ports.telemetry.counted("turns_repaired")).toBe(3);
  });

  test("takes over the jobs of a process that died, within seconds", async () => {
    let runs = 0;
    const handler = on("*", "*", () => {
      runs += 1;
      return runs === 1 ? hangs() : Promise.resolve();
    });
    const { first, second, clock, stateOf } = await twoProcesses(handler);
    expect(await first.worker.runDue()).toBe(1);
    await clock.advance(0);
    expect(await second.worker.watch()).toBe(0);
    first.die();
    expect(await second.worker.watch()).toBe(0);
    await clock.advance(1_000);
    expect(await second.worker.watch()).toBe(1);
    await clock.advance(1_000);
    expect(await second.worker.runDue()).toBe(1);
    await clock.advance(0);
    expect([runs, await stateOf()]).toEqual([2, "processed"]);
  });

  test("leaves alone a process that holds its lock, however busy", async () => {
    const { first, second, clock, stateOf } = await twoProcesses(on("*", "*", hangs));
    await first.worker.runDue();
    for (let second_ = 0; second_ < 29; second_ += 1) {
      expect(await second.worker.watch()).toBe(0);
      await clock.advance(1_000);
    }
    expect(await stateOf()).toBe("processing");
  });

  test("judges by heartbeat where locks cannot tell", async () => {
    const { first, second, clock } = await twoProcesses(on("*", "*", hangs), false);
    await first.worker.runDue();
    await second.worker.watch();
    await clock.advance(20_000);
    await first.worker.beat();
    await second.worker.watch();
    await clock.advance(20_000);
    expect(await second.worker.watch()).toBe(0);
    await clock.advance(10_000);
    expect(await second.worker.watch()).toBe(1);
  });

  test("is not misled by a jump of the wall clock", async () => {
    const { first, second, clock } = await twoProcesses(on("*", "*", hangs));
    await first.worker.runDue();
    await second.worker.watch();
    clock.jump(24 * 3600_000);
    expect(await second.worker.watch()).toBe(0);
    clock.jump(-48 * 3600_000);
    expect(await second.worker.watch()).toBe(0);
  });

  test("writes nothing for a job that was taken from it", async () => {
    let release = (): void => undefined;
    let lost: unknown;
    let runs = 0;
    const handler = on("*", "*", async (_event, { commit }) => {
      runs += 1;
      if (runs > 1) return;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await commit(async (_rows, { jobs }) => jobs.enqueue([{ kind: "effect", maxAttempts: 1 }], 0)).catch(
        (thrown: unknown) => {
          lost = thrown;
          throw thrown;
        },
      );
    });
    const { first, second, clock, storage, stateOf } = await twoProcesses(handler);
    await first.worker.runDue();
    await clock.advance(0);
    first.die();
    await second.worker.watch();
    await clock.advance(1_000);
    await second.worker.watch();
    await clock.advance(1_000);
    await second.worker.runDue();
    await clock.advance(0);
    expect(await stateOf()).toBe("processed");
    release();
    await clock.advance(0);
    expect(lost).toMatchObject({ name: "LeaseLost" });
    expect(await storage.jobRecords.list({ kind: "effect", limit: 5 })).toEqual([]);
    expect(await stateOf()).toBe("processed");
  });

  test("registers anew when it was taken for dead", async () => {
    const aborted: unknown[] = [];
    const handler = on("*", "*", (_event, { signal }) => {
      signal.addEventListener("abort", () => aborted.push(signal.reason));
      return hangs();
    });
    const { first, clock, storage } = await twoProcesses(handler);
    await first.worker.runDue();
    await clock.advance(0);
    const [runner] = await storage.runners.live();
    await storage.runners.recover(runner?.id ?? 0, {
      now: clock.now(),
      maxLosses: 3,
      suspectLosses: 2,
      delayMs: () => 0,
    });
    await first.worker.beat();
    expect(aborted).toEqual(["lease-lost"]);
    expect(await storage.runners.live()).toHaveLength(2);
  });

  test("writes the end of a job as soon as a storage that was away is back", async () => {
    const memory = memoryPorts();
    let away = false;
    const jobs = {
      ...memory.storage.jobs,
      finish: (...args: Parameters<typeof memory.storage.jobs.finish>) =>
        away ? Promise.reject(new AppError("unavailable")) : memory.storage.jobs.finish(...args),
    };
    const ports = { ...memory, storage: { ...memory.storage, jobs } };
    const handler = on("*", "*", async () => {
      away = true;
    });
    const worker = createApp({ ports, handlers: [handler] }).worker({ name: "only", concurrency: 1 });
    await worker.start();
    await memory.storage.events.accept([newEvent("evt_1", { jobs: [{ kind: handler.name, maxAttempts: 5 }] })]);
    await worker.runDue();
    await memory.clock.advance(5_000);
    expect((await memory.storage.jobRecords.countByState()).running).toBe(1);
    away = false;
    await memory.clock.advance(1_000);
    expect((await memory.storage.jobRecords.countByState()).done).toBe(1);
  });

  test("gives claimed jobs back when their events cannot be read", async () => {
    const memory = memoryPorts();
    const events = { ...memory.storage.events, load: () => Promise.reject(new AppError("unavailable")) };
    const ports = { ...memory, storage: { ...memory.storage, events } };
    const handler = on("*", "*", hangs);
    const worker = createApp({ ports, handlers: [handler] }).worker({ name: "only", concurrency: 1 });
    await worker.start();
    await memory.storage.events.accept([newEvent("evt_1", { jobs: [{ kind: handler.name, maxAttempts: 5 }] })]);
    await expect(worker.runDue()).rejects.toThrow(AppError);
    expect((await memory.storage.jobRecords.list({ limit: 1 }))[0]).toMatchObject({ state: "ready", attempt: 0 });
  });

  test("claims no more than its slots", async () => {
    const { first, storage } = await twoProcesses(on("*", "*", hangs));
    await storage.events.accept(
      Array.from({ length: 20 }, (_, n) => newEvent(`more_${n}`, { jobs: [{ kind: "*:*", maxAttempts: 5 }] })),
    );
    expect(await first.worker.runDue()).toBe(5);
    expect(await first.worker.runDue()).toBe(0);
  });

  test("gives back what it cannot finish before it stops, without counting the attempt", async () => {
    const { first, clock, storage, stateOf } = await twoProcesses(on("*", "*", hangs));
    await first.worker.runDue();
    await clock.advance(0);
    const stopping = first.worker.stop(1_000);
    await clock.advance(3_000);
    await stopping;
    expect(await stateOf()).toBe("received");
    expect((await storage.jobRecords.list({ limit: 1 }))[0]?.attempt).toBe(0);
    expect(await storage.runners.live()).toHaveLength(1);
  });

  test("leaves a job for which no handler runs here to others, without an attempt", async () => {
    const { first, clock, storage, stateOf } = await twoProcesses(on("*", "*", hangs));
    await storage.events.accept([newEvent("other", { jobs: [{ kind: "gone", maxAttempts: 5 }] })]);
    await first.worker.runDue();
    await clock.advance(0);
    expect(await stateOf()).toBe("received");
    expect((await storage.jobRecords.list({ kind: "gone", limit: 1 }))[0]).toMatchObject({
      state: "ready",
      attempt: 0,
    });
  });
});

test("a handler that does not return after it was told to stop keeps its slot for ten seconds", async () => {
  const job = defineJob("hangs", hangs, { timeoutMs: 1_000 });
  const { app, work, worker } = await withJobs([job]);
  await app.enqueue(newJob(job, 1));
  await work(10_900);
  expect(worker.running).toBe(1);
  await work(200);
  expect(worker.running).toBe(0);
});

test("ready jobs that no living process has a handler for are measured", async () => {
  const { app, worker, storage, clock, ports } = await withJobs([defineJob("known", hangs)]);
  const store = (kind: string) => storage.jobs.enqueue([{ kind, maxAttempts: 1 }], clock.now());
  await store("known");
  await store("planned");
  await store("planned");
  await app.measure();
  expect(ports.telemetry.gauged("jobs_without_handler")).toBe(2);
  const later = createApp({ ports, jobs: [defineJob("planned", hangs)] }).worker({ name: "new", concurrency: 1 });
  await later.start();
  await app.measure();
  expect(ports.telemetry.gauged("jobs_without_handler")).toBe(0);
  await later.stop(0);
  await worker.stop(0);
});

describe("a worker whose storage was away", () => {
  test("judges nobody for ten seconds afterwards", async () => {
    const { first, second, clock, storage, stateOf } = await twoProcesses(on("*", "*", hangs));
    await first.worker.runDue();
    await clock.advance(0);
    expect(await stateOf()).toBe("processing");
    const away = { ...second.ports, storage: { ...storage, runners: { ...storage.runners } } };
    const worker = createApp({ ports: away, handlers: [] }).worker({ name: "third", concurrency: 1 });
    await worker.start();
    away.storage.runners.live = () => Promise.reject(new AppError("unavailable"));
    await expect(worker.watch()).rejects.toThrow(AppError);
    away.storage.runners.live = storage.runners.live;
    first.die();
    for (let passed = 0; passed < 9_500; passed += 500) {
      expect(await worker.watch()).toBe(0);
      await clock.advance(500);
    }
    await clock.advance(500);
    expect(await worker.watch()).toBe(1);
  });
});

test("a process that does not beat for 30 seconds is taken for dead although it holds its lock", async () => {
  const { first, second, clock } = await twoProcesses(on("*", "*", hangs));
  await first.worker.runDue();
  await second.worker.watch();
  await clock.advance(29_000);
  expect(await second.worker.watch()).toBe(0);
  await clock.advance(1_000);
  expect(await second.worker.watch()).toBe(1);
});
