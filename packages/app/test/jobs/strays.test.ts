import { createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { createJobRunner, defineJob, newJob } from "@postern/jobs";
import { expect, test } from "vitest";

const scene = async (ports: MemoryPorts = memoryPorts()) => {
  const runs: number[] = [];
  const reasons: unknown[] = [];
  const quick = defineJob<number>("quick", async (n) => void runs.push(n));
  const long = defineJob<number>(
    "long",
    (n, { signal }) =>
      new Promise<void>((resolve, reject) => {
        runs.push(n);
        ports.clock.after(120_000, resolve);
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(new Error("told to stop"));
        });
      }),
    { timeoutMs: 600_000 },
  );
  const { clock, wakeup, telemetry, storage } = ports;
  const app = createApp({ ports, jobs: [quick, long] });
  const worker = app.worker({ name: "test", concurrency: 3 });
  const runner = createJobRunner({ worker, clock, wakeup, telemetry });
  await runner.start();
  await clock.advance(0);
  const [own] = await storage.runners.live();
  const job = async (n: number) => (await storage.jobs.enqueue([newJob(quick, n)], clock.now()))[0] ?? 0;
  return {
    ports,
    app,
    quick,
    long,
    runs,
    reasons,
    ownId: own?.id ?? 0,
    /** Claims a new job for a runner, as a claim whose answer was lost. */
    claimed: async (n: number, runnerId: number) => {
      const id = await job(n);
      const [claim] = await storage.jobs.claim({ runnerId, queue: "default", limit: 1, now: clock.now() });
      expect(claim?.id).toBe(id);
      return id;
    },
    stateOf: async (id: number) => storage.jobRecords.find(id),
  };
};

test("a job that this runner holds and does not run goes back after two looks, with one more loss", async () => {
  const { ports, claimed, ownId, runs, stateOf } = await scene();
  const id = await claimed(7, ownId);
  await ports.clock.advance(31_000);
  expect(await stateOf(id)).toMatchObject({ state: "running", losses: 0 });
  await ports.clock.advance(15_000);
  expect(await stateOf(id)).toMatchObject({ state: "done", losses: 1 });
  expect(runs).toEqual([7]);
});

test("a job of a runner that is not on the list runs again", async () => {
  const { ports, claimed, runs, stateOf } = await scene();
  const id = await claimed(7, 4711);
  await ports.clock.advance(46_000);
  expect(await stateOf(id)).toMatchObject({ state: "done", losses: 1 });
  expect(runs).toEqual([7]);
});

test("a job that was a stray three times is dead, with an alert", async () => {
  const { ports, app, quick, ownId, stateOf } = await scene();
  const { storage, clock } = ports;
  const [id = 0] = await app.enqueue(newJob(quick, 7, { dueAt: clock.now() + 3_600_000 }));
  const policy = { now: clock.now(), maxLosses: 3, suspectLosses: 2, delayMs: () => 3_600_000 };
  for (let losses = 0; losses < 3; losses += 1) {
    await storage.jobs.promoteDue(clock.now() + 36_000_000);
    const pick = losses === 2 ? ("suspects" as const) : ("priority" as const);
    const request = { runnerId: ownId, queue: "default", limit: 1, now: clock.now(), pick };
    const [claim] = await storage.jobs.claim(request);
    if (claim === undefined) throw new Error("it was ready");
    if (losses < 2) await storage.runners.takeBack([claim], policy);
  }
  await clock.advance(46_000);
  expect(await stateOf(id)).toMatchObject({ state: "dead", losses: 3 });
  expect(ports.alerts.raised.map(({ kind, details }) => [kind, details.job])).toEqual([["job.dead", id]]);
});

test("a job that runs for minutes, and those of another living runner, are left alone", async () => {
  const { ports, app, long, claimed, runs, stateOf } = await scene();
  const { storage, clock } = ports;
  const [own = 0] = await app.enqueue(newJob(long, 1));
  await clock.advance(0);
  const other = await storage.runners.register({ name: "other", kinds: ["quick"] }, clock.now());
  await ports.liveness.hold(other);
  const theirs = await claimed(2, other);
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await storage.runners.beat(other, clock.now());
      await clock.advance(1_000);
    }
  };
  await pass(100);
  expect(await stateOf(theirs)).toMatchObject({ state: "running", losses: 0 });
  expect(await stateOf(own)).toMatchObject({ state: "running", losses: 0 });
  await pass(30);
  expect(await stateOf(own)).toMatchObject({ state: "done", losses: 0, attempt: 1 });
  expect(runs).toEqual([1]);
});

test("a run whose lease is gone is told so, and its result does not count", async () => {
  const { ports, app, long, reasons, stateOf } = await scene();
  const { storage, clock } = ports;
  const [id = 0] = await app.enqueue(newJob(long, 1));
  await clock.advance(0);
  const [live] = await storage.runners.live();
  const [lease] = await storage.runners.running(live?.id ?? 0);
  if (lease === undefined) throw new Error("it runs");
  const policy = { now: clock.now(), maxLosses: 3, suspectLosses: 2, delayMs: () => 3_600_000 };
  await storage.runners.takeBack([lease], policy);
  await clock.advance(31_000);
  expect(reasons).toEqual(["lease-lost"]);
  expect(await stateOf(id)).toMatchObject({ state: "scheduled", losses: 1 });
});

test("a database that went back is noticed, and strays are looked for at once", async () => {
  const memory = memoryPorts();
  let setbacks = 0;
  const past = { setbacks: () => setbacks, look: async () => undefined };
  const { ports, claimed, ownId, stateOf } = await scene({ ...memory, storage: { ...memory.storage, past } });
  const id = await claimed(7, ownId);
  setbacks += 1;
  await ports.clock.advance(12_000);
  expect(await stateOf(id)).toMatchObject({ state: "done", losses: 1 });
});
