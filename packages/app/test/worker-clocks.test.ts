import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, type JobHandler, newJob, schedule } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { hangs } from "./with-jobs.ts";

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
