import { createApp } from "@postern/app";
import { livenessRegistry, memoryLiveness, memoryPorts } from "@postern/core/memory";
import { defineJob, newJob } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { gate, hangs, withJobs } from "./with-jobs.ts";

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
  /** One process with a suspect in its queue `poison`, and a long job in another queue. */
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
