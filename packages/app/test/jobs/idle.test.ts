import type { Storage } from "@postern/core";
import { livenessRegistry, memoryStorage, virtualClock } from "@postern/core/memory";
import { defineJob, newJob } from "@postern/jobs";
import { expect, test } from "vitest";
import { simulatedProvider as provider } from "./simulation/simulate.ts";
import { startProcess } from "./simulation/simulated-process.ts";

const second = 1_000;
const minute = 60 * second;

/** Counts the calls of a port's methods. */
const counting = <Port extends object>(port: Port, count: () => void): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: readonly unknown[]) => {
        count();
        return Reflect.apply(member, target, values);
      };
    },
  });

/** Two workers on one database, which may tell each of what others commit. */
const scene = async ({ tells = true } = {}) => {
  const clock = virtualClock();
  const registry = livenessRegistry();
  const subscribers = tells ? new Set<() => void>() : undefined;
  let calls = 0;
  const runs: string[] = [];
  const long = defineJob<string>("long", async () => undefined);
  const storage = memoryStorage();
  const counted = Object.fromEntries(
    Object.entries(storage).map(([name, port]) => [
      name,
      typeof port === "object" && name !== "past" ? counting(port, () => (calls += 1)) : port,
    ]),
  ) as unknown as Storage;
  const [first, other] = ["worker 0", "worker 1"].map((name) =>
    startProcess({
      name,
      clock,
      storage: counted,
      registry,
      subscribers,
      provider,
      handlers: () => [],
      jobs: (own) => [
        defineJob<string>("long", async (what) => {
          runs.push(`${what} on ${own.name}`);
          await new Promise<void>((resolve) => void own.clock.after(10 * second, resolve));
        }),
      ],
      concurrency: 2,
      onFailedStart: () => {
        throw new Error("it starts");
      },
      fate: () => ({ before: 0, after: 0, outcome: "answered" }),
      fraction: () => 0.5,
    }),
  );
  if (first === undefined || other === undefined) throw new Error("there are two");
  await clock.advance(0);
  return {
    clock,
    storage,
    first,
    other,
    runs,
    subscribers,
    enqueue: async (what: string, dueAt?: number) => {
      const stored = first.app.enqueue(newJob(long, what, dueAt === undefined ? {} : { dueAt }));
      await clock.advance(0);
      await stored;
    },
    /** How many calls of the storage pass in this time. */
    callsIn: async (ms: number): Promise<number> => {
      calls = 0;
      await clock.advance(ms);
      return calls;
    },
    idle: async () => (await storage.runners.live()).map(({ isIdle }) => isIdle),
    jobs: async () =>
      (await storage.jobRecords.list({ kind: "long", limit: 9 })).map(({ state, losses }) => [state, losses]),
  };
};

test("two idle workers ask twice a minute each, and neither is taken for dead", async () => {
  const { clock, callsIn, idle } = await scene();
  // Whatever is done once in a process's life, or every ten minutes, is over.
  await clock.advance(11 * minute - (clock.now() % (10 * minute)) + second);
  expect(await idle()).toEqual([true, true]);
  // Each worker looks, and asks whether the audit log is to be sealed.
  expect(await callsIn(minute)).toBeLessThanOrEqual(6);
  expect(await idle()).toEqual([true, true]);
  await clock.advance(60 * minute);
  expect(await idle()).toEqual([true, true]);
});

test("where nothing tells of other processes' commits, workers go on looking", async () => {
  const { clock, callsIn, idle } = await scene({ tells: false });
  await clock.advance(2 * minute);
  expect(await idle()).toEqual([false, false]);
  expect(await callsIn(30 * second)).toBeGreaterThan(100);
});

test("a job of ten seconds that begins late in an idle half minute runs once", async () => {
  for (const at of [1, 15, 28, 29, 29.9, 30]) {
    const { clock, enqueue, runs, jobs } = await scene();
    await clock.advance(2 * minute + at * second);
    await enqueue("late");
    await clock.advance(2 * minute);
    expect(runs).toHaveLength(1);
    expect(await jobs()).toEqual([["done", 0]]);
  }
});

test("a job whose time comes while all workers are idle runs then", async () => {
  const { clock, enqueue, runs, idle } = await scene();
  // Between two beats.
  await enqueue("later", clock.now() + 5 * minute + 2 * second);
  await clock.advance(5 * minute + 2 * second - 1);
  expect(runs).toEqual([]);
  expect(await idle()).toEqual([true, true]);
  await clock.advance(20);
  expect(runs).toHaveLength(1);
  // The claim has taken back that its worker is idle.
  expect(await idle()).toContain(false);
});

test("the job of a worker that is killed runs again within three seconds, on one that was idle", async () => {
  const { clock, first, other, enqueue, runs, idle } = await scene();
  await enqueue("job", clock.now() + 3 * minute);
  await clock.advance(3 * minute - second);
  expect(await idle()).toEqual([true, true]);
  await clock.advance(2 * second);
  expect(runs).toHaveLength(1);
  (runs[0] === "job on worker 0" ? first : other).kill();
  await clock.advance(3 * second);
  expect(runs).toHaveLength(2);
});

test("the claim that ends idleness wakes a worker that has not heard of the job", async () => {
  const { clock, first, enqueue, runs, subscribers = new Set() } = await scene();
  await clock.advance(2 * minute + 2 * second);
  const [, unheard = () => undefined] = subscribers;
  subscribers.delete(unheard);
  await enqueue("job");
  subscribers.add(unheard);
  await clock.advance(second);
  expect(runs).toEqual(["job on worker 0"]);
  first.kill();
  await clock.advance(3 * second);
  expect(runs).toHaveLength(2);
});

test("a worker that dies idle is taken off the list after a minute and a half, and no sooner", async () => {
  const { clock, storage, other } = await scene();
  await clock.advance(2 * minute);
  other.kill();
  await clock.advance(minute);
  expect(await storage.runners.live()).toHaveLength(2);
  await clock.advance(2 * minute);
  expect(await storage.runners.live()).toHaveLength(1);
});
