import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";

const minute = 60_000;
const hour = 60 * minute;

/** What a batch is, and what it does to the time. */
interface Batches {
  /** How long a batch takes, in milliseconds. */
  readonly takesMs?: number;
  /** Whether other writes of the process wait while a batch runs. */
  readonly isContended?: boolean;
  /** How many batches of each kind are due. */
  readonly due: Readonly<Record<string, number>>;
  readonly fails?: (what: string) => boolean;
}

/** Processes whose storage has so many batches to delete, and what they deleted in which order. */
const clearing = async ({ takesMs = 0, isContended = false, due, fails = () => false }: Batches, count = 1) => {
  const memory = memoryPorts();
  const { clock } = memory;
  const left = new Map(Object.entries(due));
  const batches: { what: string; at: number; running: number }[] = [];
  let running = 0;
  let waits = 0;
  const housekeeping: typeof memory.storage.housekeeping = {
    ...memory.storage.housekeeping,
    waits: () => waits,
    prune: async (what, _before, limit) => {
      const more = left.get(what) ?? 0;
      if (more === 0) return 0;
      if (fails(what)) throw new Error(`no ${what}`);
      running += 1;
      batches.push({ what, at: clock.now(), running });
      if (takesMs > 0) await new Promise<void>((resolve) => void clock.after(takesMs, resolve));
      if (isContended) waits += 1;
      running -= 1;
      left.set(what, more - 1);
      return limit;
    },
  };
  const ports = { ...memory, storage: { ...memory.storage, housekeeping } };
  const workers = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const worker = createApp({ ports }).worker({ name: `p${n}`, concurrency: 5 });
      await worker.start();
      return worker;
    }),
  );
  return {
    ports,
    batches,
    left,
    /** Lets time go by, as seconds in which every process looks for work. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 1_000) {
        if (clock.now() % minute === 0) for (const worker of workers) await worker.fireSchedules();
        for (const worker of workers) await worker.runDue();
        await clock.advance(1_000);
      }
    },
    jobs: async () => ports.storage.jobRecords.list({ kind: "postern.prune", limit: 100 }),
  };
};

test("one run goes on while something is due, over all processes, and its attempts do not count", async () => {
  const { batches, left, pass, jobs } = await clearing({ takesMs: 500, due: { done_jobs: 8_000 } }, 3);
  await pass(80 * minute);
  expect(Math.max(...batches.map(({ running }) => running))).toBe(1);
  expect(await jobs()).toMatchObject([
    { state: expect.stringMatching(/running|scheduled/), attempt: expect.any(Number) },
  ]);
  expect((await jobs())[0]?.attempt).toBeLessThanOrEqual(1);
  // A run of a minute, then a pause of a second or two.
  const sinceFirst = (batches.at(-1)?.at ?? 0) - (batches[0]?.at ?? 0);
  expect(batches.length).toBeGreaterThan((sinceFirst / 500) * 0.95);
  await pass(hour);
  expect(left.get("done_jobs")).toBe(0);
  expect((await jobs()).filter(({ state }) => state !== "done")).toEqual([]);
});

test("steps take turns, bodies first, so that none waits for the end of another", async () => {
  const due = { dead_jobs: 3, done_jobs: 5, events: 5, bodies: 5 };
  const { batches, pass } = await clearing({ due });
  await pass(20 * minute);
  const order = batches.map(({ what }) => what);
  const turn = ["bodies", "events", "done_jobs", "dead_jobs"];
  expect(order).toEqual([...turn, ...turn, ...turn, ...turn.slice(0, 3), ...turn.slice(0, 3)]);
});

test.each([
  [false, 500],
  [true, 1_000],
])("the next batch waits as long as one took if other writes waited: %s", async (isContended, expected) => {
  const { batches, pass } = await clearing({ takesMs: 500, isContended, due: { events: 20 } });
  await pass(20 * minute);
  const starts = batches.map(({ at }) => at);
  expect(starts.slice(1).map((at, index) => at - (starts[index] ?? 0))).toEqual(Array(19).fill(expected));
});

test("a step that fails keeps no other from going on, and its failure is told", async () => {
  const { left, pass, jobs } = await clearing({
    due: { bodies: 2, events: 4, done_jobs: 4 },
    fails: (what) => what === "bodies",
  });
  await pass(20 * minute);
  expect([left.get("bodies"), left.get("events"), left.get("done_jobs")]).toEqual([2, 0, 0]);
  await pass(10 * minute);
  expect(await jobs()).toMatchObject([{ state: "dead", lastError: "Error: no bodies" }]);
  await pass(hour);
  expect(await jobs()).toHaveLength(2);
});

test("jobs that wait in a queue do not keep it from deleting", async () => {
  const { ports, left, pass } = await clearing({ due: { events: 30 } });
  const tooMany = Array.from({ length: 5_000 }, () => ({ kind: "x", queue: "x", maxAttempts: 1 }));
  await ports.storage.jobs.enqueue(tooMany, ports.clock.now());
  await pass(20 * minute);
  expect(left.get("events")).toBe(0);
});

test("an event that is due whole loses no body first", async () => {
  const memory = memoryPorts();
  const { clock, storage } = memory;
  const day = 24 * hour;
  const old = (id: string, days: number) => ({
    ...newEvent(id, { receivedAt: clock.now() - days * day }),
    jobs: [],
    disposition: "ignored" as const,
  });
  await storage.events.accept([old("whole", 36), old("body", 20), old("kept", 10)]);
  const changed: number[] = [];
  const housekeeping: typeof storage.housekeeping = {
    ...storage.housekeeping,
    prune: async (what, ...more) => {
      const count = await storage.housekeeping.prune(what, ...more);
      if (what === "bodies") changed.push(count);
      return count;
    },
  };
  const worker = createApp({ ports: { ...memory, storage: { ...storage, housekeeping } } }).worker({
    name: "only",
    concurrency: 5,
  });
  await worker.start();
  for (let passed = 0; passed < 20; passed += 1) {
    await worker.fireSchedules();
    await worker.runDue();
    await clock.advance(minute);
  }
  expect(changed).toEqual([1]);
  const stored = await storage.events.list({ limit: 5 });
  expect(stored.map(({ eventId, bodyKept }) => [eventId, bodyKept])).toEqual([
    ["kept", true],
    ["body", false],
  ]);
});
