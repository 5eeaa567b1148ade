import { AppError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import type { JobOutcome } from "@postern/core/ports";
import { defineJob, newJob, Permanent } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { withJobs } from "./with-jobs.ts";

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
    const failures = await storage.jobRecords.failures(id, 9);
    expect(failures.map(({ error }) => error.split("\n", 1)[0])).toEqual([
      "its end could not be written",
      "Permanent: enough",
    ]);
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

  test("within ten minutes of a storage that is away is given up, too", async () => {
    const memory = memoryPorts();
    let away = false;
    const finish: typeof memory.storage.jobs.finish = (outcomes, now) =>
      away ? Promise.reject(new AppError("unavailable")) : memory.storage.jobs.finish(outcomes, now);
    const storage = { ...memory.storage, jobs: { ...memory.storage.jobs, finish } };
    const job = defineJob("job", async (_payload, { attempt }) => {
      if (attempt === 1) away = true;
    });
    const { app, work, clock } = await withJobs([job], { instead: { ...memory, storage } });
    const [id = 0] = await app.enqueue(newJob(job, 1));
    await work(100);
    await clock.advance(601_000);
    expect(memory.telemetry.counted("jobs_end_unwritten")).toBe(1);
    away = false;
    await work(100);
    await clock.advance(60_000);
    await work(100);
    expect(await memory.storage.jobRecords.find(id)).toMatchObject({ state: "done", attempt: 2 });
  });
});
