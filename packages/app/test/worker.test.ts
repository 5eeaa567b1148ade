import { createApp } from "@postern/app";
import {
  AppError,
  defineJob,
  type InboxHandler,
  type JobHandler,
  type JobOutcome,
  newJob,
  on,
  Permanent,
  schedule,
  type Worker,
} from "@postern/core";
import { livenessRegistry, type MemoryPorts, memoryLiveness, memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { gate, hangs, withJobs } from "./with-jobs.ts";

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
      await commit(async ({ jobs }) => jobs.enqueue([{ kind: "effect", maxAttempts: 1 }], 0)).catch(
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

describe("a job that kills its runner", () => {
  test("is given up after three, the last time alone, and takes no innocent job with it", async () => {
    const shared = memoryPorts();
    const registry = livenessRegistry();
    const company: number[] = [];
    let die = (): void => undefined;
    let here = { innocents: 0 };
    const jobs = [
      defineJob("poison", async () => {
        company.push(here.innocents);
        die();
        await hangs();
      }),
      defineJob("innocent", async () => {
        const mine = here;
        mine.innocents += 1;
        // Only a process that lives sees the time go by.
        await new Promise<void>((resolve) => void shared.clock.after(200, () => mine === here && resolve()));
        mine.innocents -= 1;
      }),
    ];
    const start = async () => {
      const liveness = memoryLiveness({ registry });
      const app = createApp({ ports: { ...shared, liveness }, jobs });
      const worker = app.worker({ name: "next", concurrency: 10 });
      await worker.start();
      let dead = false;
      die = () => {
        dead = true;
        here = { innocents: 0 };
        liveness.die();
      };
      for (let step = 0; step < 120 && !dead; step += 1) {
        await worker.watch();
        await worker.runDue();
        await shared.clock.advance(100);
      }
    };
    await shared.storage.jobs.enqueue(
      ["innocent", "poison", "innocent"].map((kind) => ({ kind, maxAttempts: 9 })),
      shared.clock.now(),
    );
    for (let life = 0; life < 4; life += 1) await start();
    const states = (await shared.storage.jobRecords.list({ limit: 5 })).map(({ kind, state }) => `${kind} ${state}`);
    expect(states).toEqual(["innocent done", "poison dead", "innocent done"]);
    expect(company).toEqual([1, 1, 0]);
    const [poison] = await shared.storage.jobRecords.list({ kind: "poison", limit: 1 });
    expect(shared.telemetry.counted("jobs_ended", { to: "dead" })).toBe(1);
    expect(shared.alerts.raised).toMatchObject([
      { kind: "job.dead", text: expect.stringContaining(`poison has given up on job ${poison?.id}`) },
    ]);
  });
});

describe("a suspect", () => {
  test("waits until nothing else runs, and nothing starts beside it, however it comes", async () => {
    const [suspects, others] = [gate(), gate()];
    const other = defineJob("other", () => others.run());
    const { app, worker, storage, clock, work } = await withJobs([defineJob("suspect", () => suspects.run()), other]);
    const now = () => clock.now();
    const store = (kind: string) => storage.jobs.enqueue([{ kind, maxAttempts: 9 }], now());
    await store("suspect");
    for (let loss = 1; loss <= 2; loss += 1) {
      const runnerId = await storage.runners.register({ name: `lost ${loss}`, kinds: [] }, now());
      await storage.jobs.claim({ runnerId, queue: "default", limit: 1, now: now() });
      const policy = { now: now(), maxLosses: 3, suspectLosses: 2, delayMs: () => 0 };
      await storage.runners.recover(runnerId, policy);
      await storage.jobs.promoteDue(now());
    }
    await store("other");
    await work();
    await worker.watch();
    await work(1_000);
    expect([others.running, suspects.running]).toEqual([1, 0]);
    others.release();
    await work(1_000);
    expect([others.running, suspects.running]).toEqual([0, 1]);
    await app.enqueue(newJob(other, undefined));
    await store("other");
    await work(1_000);
    expect([others.running, suspects.running, worker.running]).toEqual([0, 1, 1]);
    suspects.release();
    await work(1_000);
    expect([others.running, suspects.running]).toEqual([2, 0]);
  });
});

describe("a suspect that may not run", () => {
  /** One process whose queue `poison` has a suspect, with a job that runs for long in another queue. */
  const withSuspect = async (limits: { readonly globalConcurrency?: number; readonly perSecond?: number } = {}) => {
    const [poison, slow] = [gate(), gate()];
    const ran: number[] = [];
    const jobs = [
      defineJob("poison", () => poison.run(), { queue: "poison" }),
      defineJob("slow", () => slow.run()),
      defineJob("other", async () => void ran.push(1), { queue: "other" }),
    ];
    const scene = await withJobs(jobs, { options: { queues: { poison: limits } } });
    const { storage, clock, work } = scene;
    await storage.jobs.enqueue([{ kind: "poison", queue: "poison", maxAttempts: 9 }], clock.now());
    for (let loss = 1; loss <= 2; loss += 1) {
      const runnerId = await storage.runners.register({ name: `lost ${loss}`, kinds: [] }, clock.now());
      await storage.jobs.claim({ runnerId, queue: "poison", limit: 1, now: clock.now() });
      const policy = { now: clock.now(), maxLosses: 3, suspectLosses: 2, delayMs: () => 0 };
      await storage.runners.recover(runnerId, policy);
      await storage.jobs.promoteDue(clock.now());
    }
    await storage.jobs.enqueue([{ kind: "slow", maxAttempts: 9 }], clock.now());
    await work();
    const storeOthers = (count: number) =>
      storage.jobs.enqueue(
        Array.from({ length: count }, () => ({ kind: "other", queue: "other", maxAttempts: 9 })),
        clock.now(),
      );
    return { ...scene, poison, slow, storeOthers, others: () => ran.length };
  };

  test("because its queue is paused holds up no other queue", async () => {
    const { worker, storage, clock, work, storeOthers, others } = await withSuspect();
    await storage.queues.pause("poison", undefined, clock.now());
    await worker.watch();
    await storeOthers(20);
    await work(200);
    expect(others()).toBe(20);
  });

  test("any more, its queue being paused meanwhile, ends the wait for it at the next look", async () => {
    const { worker, storage, clock, work, storeOthers, others, poison } = await withSuspect();
    await worker.watch();
    await storeOthers(20);
    await work(200);
    expect([others(), poison.running]).toEqual([0, 0]);
    await storage.queues.pause("poison", undefined, clock.now());
    await worker.watch();
    await work(200);
    expect(others()).toBe(20);
  });

  test("because another process has it ends the wait for it at the next look", async () => {
    const { worker, storage, clock, work, storeOthers, others } = await withSuspect();
    await worker.watch();
    await storeOthers(20);
    const runnerId = await storage.runners.register({ name: "quicker", kinds: ["poison"] }, clock.now());
    await storage.jobs.claim({ runnerId, queue: "poison", limit: 1, now: clock.now(), pick: "suspects" });
    await worker.watch();
    await work(200);
    expect(others()).toBe(20);
  });

  test("because of the rate of its queue is waited for only when the rate allows it", async () => {
    const { worker, clock, work, storeOthers, others, slow, poison } = await withSuspect({ perSecond: 0.1 });
    // The first job of the rate has gone to one that is no suspect.
    await worker.watch();
    slow.release();
    await work(100);
    expect(poison.running).toBe(1);
    poison.release();
    await clock.advance(0);
    await storeOthers(20);
    await work(200);
    expect(others()).toBe(20);
  });
});

describe("an end that cannot be written", () => {
  /** A storage that refuses some ends, though it is not away. */
  const refusing = (refuses: (outcome: JobOutcome) => boolean) => {
    const memory = memoryPorts();
    const finish: typeof memory.storage.jobs.finish = async (outcomes, now) => {
      if (outcomes.some(refuses)) throw new Error("this cannot be stored");
      return memory.storage.jobs.finish(outcomes, now);
    };
    return { ...memory, storage: { ...memory.storage, jobs: { ...memory.storage.jobs, finish } } };
  };

  test("keeps no slot, is given up after ten tries with an alert, and the job runs again", async () => {
    const instead = refusing(({ end }) => end.to === "done");
    const runs: string[] = [];
    const odd = defineJob("odd", async (_payload, { attempt }) => {
      runs.push(`odd ${attempt}`);
      if (attempt > 1) throw new Permanent("enough");
    });
    const fails = defineJob("fails", async () => {
      runs.push("fails");
      throw new Permanent("no");
    });
    const { app, work, clock, worker, storage, ports } = await withJobs([odd, fails], {
      options: { concurrency: 1 },
      instead,
    });
    const [id = 0] = await app.enqueue(newJob(odd, 1));
    await app.enqueue(newJob(fails, 2));
    await work(1_000);
    expect([runs, worker.running]).toEqual([["odd 1", "fails"], 0]);
    await work(12_000);
    expect(ports.telemetry.counted("jobs_end_unwritten")).toBe(1);
    expect(instead.alerts.raised.filter(({ kind }) => kind === "job.end_unwritten")).toMatchObject([
      { details: { job: id, kind: "odd" }, text: expect.stringContaining(`job ${id} (odd, done)`) },
    ]);
    await clock.advance(60_000);
    await work(1_000);
    expect(runs).toEqual(["odd 1", "fails", "odd 2"]);
    expect(await storage.jobRecords.find(id)).toMatchObject({ state: "dead", attempt: 2 });
    expect((await storage.jobRecords.failures(id, 9)).map(({ error }) => error)).toEqual([
      "its end could not be written",
      "Permanent: enough",
    ]);
  });

  test("is given up after as many tries as are set", async () => {
    const instead = refusing(() => true);
    const job = defineJob("job", async () => undefined);
    const { app, work, ports } = await withJobs([job], { instead, options: { bounds: { endTries: 2 } } });
    await app.enqueue(newJob(job, 1));
    await work(500);
    expect(ports.telemetry.counted("jobs_end_unwritten")).toBe(0);
    await work(2_000);
    expect(ports.telemetry.counted("jobs_end_unwritten")).toBe(1);
  });

  test("because of the words of its error is written without them", async () => {
    const instead = refusing(({ end }) => "error" in end && end.error.includes("odd words"));
    const job = defineJob("job", async () => {
      throw new Permanent("odd words");
    });
    const { app, work, storage } = await withJobs([job], { instead });
    const [id = 0] = await app.enqueue(newJob(job, 1));
    await work(5_000);
    expect(await storage.jobRecords.find(id)).toMatchObject({
      state: "dead",
      lastError: "the handler failed, and the error could not be stored",
    });
  });

  test.each([
    ["ten minutes", {}, 601_000],
    ["the time that is set", { endMs: 5_000 }, 6_000],
  ])("within %s of a storage that is away is given up, too", async (_time, bounds, passed) => {
    const memory = memoryPorts();
    let away = false;
    const finish: typeof memory.storage.jobs.finish = (outcomes, now) =>
      away ? Promise.reject(new AppError("unavailable")) : memory.storage.jobs.finish(outcomes, now);
    const storage = { ...memory.storage, jobs: { ...memory.storage.jobs, finish } };
    const job = defineJob("job", async (_payload, { attempt }) => {
      if (attempt === 1) away = true;
    });
    const { app, work, clock } = await withJobs([job], { instead: { ...memory, storage }, options: { bounds } });
    const [id = 0] = await app.enqueue(newJob(job, 1));
    await work(100);
    await clock.advance(passed);
    expect(memory.telemetry.counted("jobs_end_unwritten")).toBe(1);
    away = false;
    await work(100);
    await clock.advance(60_000);
    await work(100);
    expect(await memory.storage.jobRecords.find(id)).toMatchObject({ state: "done", attempt: 2 });
  });
});

test("a handler that does not return after it was told to stop keeps its slot as long as is set", async () => {
  const job = defineJob("hangs", hangs, { timeoutMs: 1_000 });
  const { app, work, worker } = await withJobs([job], { options: { bounds: { handlerStopMs: 500 } } });
  await app.enqueue(newJob(job, 1));
  await work(1_400);
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

describe("due times", () => {
  test("follow the database's clock, however far off this process's own is", async () => {
    const memory = memoryPorts();
    // This process is an hour ahead.
    const databaseTime = async () => memory.clock.now() - 3600_000;
    const storage = { ...memory.storage, runners: { ...memory.storage.runners, databaseTime } };
    const seen: string[] = [];
    const job = defineJob<string>(
      "job",
      async (which, { attempt }) => {
        seen.push(which);
        if (which === "fails" && attempt === 1) throw new Error("boom");
      },
      { retry: { delaysMs: [1_000] } },
    );
    const slots: number[] = [];
    const hourly = schedule("hourly", "0 * * * *", async ({ slot }) => void slots.push(slot));
    const ports = { ...memory, storage };
    const app = createApp({ ports, jobs: [job as JobHandler], schedules: [hourly] });
    const worker = app.worker({ name: "ahead", concurrency: 5 });
    await worker.start();
    const now = await databaseTime();
    await app.enqueue(newJob(job, "later", { dueAt: now + 600_000 }), newJob(job, "fails"));
    const step = async (ms: number): Promise<void> => {
      await memory.clock.advance(ms);
      await worker.runDue();
      await memory.clock.advance(0);
    };
    await step(0);
    const [failed] = await storage.jobRecords.list({ state: "scheduled", kind: "job", limit: 1 });
    expect(failed?.dueAt).toBeLessThanOrEqual(now + 1_000);
    await step(1_000);
    expect(seen).toEqual(["fails", "fails"]);
    await step(590_000);
    expect(seen).toEqual(["fails", "fails"]);
    await step(10_000);
    expect(seen).toEqual(["fails", "fails", "later"]);
    await memory.clock.advance(49 * 60_000 - 1_000);
    await worker.fireSchedules();
    await step(0);
    expect(slots).toEqual([]);
    await memory.clock.advance(61_000);
    await worker.fireSchedules();
    await step(0);
    expect(slots).toEqual([now + 3600_000]);
    expect(
      memory.telemetry.entries.filter(({ message }) => message.includes("differs from the database's")),
    ).toMatchObject([{ level: "warn", fields: { database_ahead_ms: -3600_000 } }]);
  });
});

describe("the database's clock", () => {
  const behind = () => {
    const memory = memoryPorts();
    const databaseTime = async () => memory.clock.now() - 3600_000;
    return {
      memory,
      databaseTime,
      storage: { ...memory.storage, runners: { ...memory.storage.runners, databaseTime } },
    };
  };

  test("counts on while somebody sets the clock of the process", async () => {
    const memory = memoryPorts();
    const start = memory.clock.now();
    const databaseTime = async () => start + memory.clock.monotonic();
    const storage = { ...memory.storage, runners: { ...memory.storage.runners, databaseTime } };
    let runs = 0;
    const job = defineJob("job", async (_payload, { now }) => {
      runs += 1;
      expect(now()).toBe(start + 600_000);
    });
    const app = createApp({ ports: { ...memory, storage }, jobs: [job] });
    const worker = app.worker({ name: "one", concurrency: 1 });
    await worker.start();
    await app.enqueue(newJob(job, undefined, { dueAt: start + 600_000 }));
    memory.clock.jump(3600_000);
    await worker.runDue();
    await memory.clock.advance(599_000);
    await worker.runDue();
    await memory.clock.advance(0);
    expect(runs).toBe(0);
    await memory.clock.advance(1_000);
    await worker.runDue();
    await memory.clock.advance(0);
    expect(runs).toBe(1);
    expect((await storage.jobRecords.countByState()).done).toBe(1);
  });

  test("says when a job runs again that lost its runner", async () => {
    const { memory, databaseTime, storage } = behind();
    const job = defineJob("job", hangs);
    const app = createApp({ ports: { ...memory, storage }, jobs: [job] });
    const [id = 0] = await app.enqueue(newJob(job, undefined));
    const runnerId = await storage.runners.register({ name: "gone", kinds: ["job"] }, memory.clock.now());
    await storage.jobs.claim({ runnerId, queue: "default", limit: 1, now: memory.clock.now() });
    const worker = app.worker({ name: "ahead", concurrency: 1 });
    await worker.start();
    await worker.watch();
    await memory.clock.advance(1_000);
    expect(await worker.watch()).toBe(1);
    expect((await storage.jobRecords.find(id))?.dueAt).toBe((await databaseTime()) + 500);
  });
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
