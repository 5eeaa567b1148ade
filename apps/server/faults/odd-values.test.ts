import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { defineJob, type JobHandler, newJob, Permanent, RetryAt, Snooze } from "@postern/jobs";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { isLong } from "./storm.ts";

vi.setConfig({ testTimeout: 180_000 });

/*
 * Handlers throw and return everything that JavaScript can make. They run in the process of the
 * test, so an exception that leaves the worker, or a promise that nobody handles, fails the test.
 */

const refuse = (): never => {
  throw new Error("do not look at this");
};

/**
 * Makes a value at the moment when it is thrown. fast-check inspects what it draws, and these
 * values throw when they are inspected.
 */
type Make = () => unknown;

const trapNames = ["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor"] as const;
const targets = fc.constantFrom<() => object>(
  () => ({}),
  () => new Error("x"),
  () => new Snooze(5),
  () => new RetryAt(5, "x"),
);

/** A value that throws when it is inspected, in one way or in every way. */
const hostile = fc.tuple(targets, fc.uniqueArray(fc.constantFrom(...trapNames))).map(
  ([make, traps]): Make =>
    () =>
      new Proxy(make(), Object.fromEntries(traps.map((trap) => [trap, refuse]))),
);

const anything = fc
  .anything({
    maxDepth: 2,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  })
  .map(
    (value): Make =>
      () =>
        value,
  );

const errors = fc.constantFrom<() => Error>(
  () => new Error("m"),
  () => new Permanent("m"),
  () => new RetryAt(0, "m"),
  () => new Snooze(0),
  () => new AggregateError([], "m"),
);
const memberNames = fc.constantFrom("name", "message", "stack", "cause", "at", "ms", "code");

/** Errors whose members can be anything, even getters that throw. */
const oddErrors = fc.tuple(errors, fc.dictionary(memberNames, fc.option(anything))).map(
  ([make, members]): Make =>
    () => {
      const error = make();
      for (const [name, value] of Object.entries(members)) {
        Object.defineProperty(error, name, value === null ? { get: refuse } : { value: value() });
      }
      return error;
    },
);

type Then = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void;

const thenables = fc
  .constantFrom<Then>(
    refuse,
    (resolve, reject) => {
      resolve(1);
      reject(2);
    },
    (_resolve, reject) => reject(Object.create(null)),
  )
  .map(
    (run): Make =>
      () =>
        // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable
        Object.fromEntries([["then", run]]),
  );
// biome-ignore lint/suspicious/noThenProperty: a thenable is what is tried
const refusesThen = fc.constant((): unknown => Object.defineProperty({}, "then", { get: refuse }));

const numbers = fc.oneof(fc.double(), fc.maxSafeInteger());
const asked = fc.oneof(
  numbers.map(
    (at): Make =>
      () =>
        new RetryAt(at, "later"),
  ),
  numbers.map(
    (ms): Make =>
      () =>
        new Snooze(ms),
  ),
);
const long = fc.string({ minLength: 5_000, maxLength: 9_000 }).map(
  (text): Make =>
    () =>
      new Error(text),
);
const values = fc.oneof(anything, hostile, oddErrors, thenables, refusesThen, asked, long);
const ways = fc.constantFrom("throws", "rejects", "returns", "resolves");

interface Odd {
  readonly way: "throws" | "rejects" | "returns" | "resolves";
  readonly make: Make;
}

/** Runs a job for each of these and returns how each ended. */
const runAll = async (odds: readonly Odd[]) => {
  const ports = memoryPorts();
  const odd = defineJob<number>(
    "odd",
    // In plain JavaScript a handler can be without `async` and return anything.
    ((index: number) => {
      const { way, make } = odds[index] ?? { way: "returns", make: () => undefined };
      if (way === "throws") throw make();
      if (way === "rejects") return Promise.reject(make());
      return way === "returns" ? make() : new Promise<unknown>((resolve) => resolve(make()));
    }) as JobHandler<number>["run"],
    { retry: { delaysMs: [1_000] }, timeoutMs: 2_000 },
  );
  const even = defineJob("even", async () => undefined);
  const app = createApp({ ports, parts: [], jobs: [odd as JobHandler, even] });
  const worker = app.worker({ name: "only", concurrency: 50 });
  await worker.start();
  const ids = await app.enqueue(...odds.map((_, index) => newJob(odd, index)), newJob(even, undefined));
  for (let passed = 0; passed <= 500; passed += 100) {
    await worker.runDue();
    await ports.clock.advance(100);
  }
  await ports.clock.advance(15_000);
  const jobs = await Promise.all(ids.map((id) => ports.storage.jobRecords.find(id)));
  return { jobs, running: worker.running };
};

test("the process lives and records each attempt, whatever a handler throws or returns", async () => {
  const odds = fc.array(fc.record({ way: ways, make: values }), { minLength: 20, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(odds, async (batch) => {
      const { jobs, running } = await runAll(batch);
      expect(running).toBe(0);
      expect(jobs.at(-1)).toMatchObject({ kind: "even", state: "done" });
      for (const job of jobs) {
        expect(["done", "scheduled", "dead"]).toContain(job?.state);
        const isFailed = job?.state === "dead" || (job?.state === "scheduled" && job.attempt > 0);
        if (isFailed) expect(job.lastError?.length).toBeGreaterThan(0);
        expect(job?.lastError?.length ?? 0).toBeLessThanOrEqual(4_200);
        if (job?.state === "scheduled") expect(Number.isSafeInteger(job.dueAt)).toBe(true);
      }
    }),
    {
      numRuns: 1_000_000,
      interruptAfterTimeLimit: isLong ? 60_000 : 4_000,
      markInterruptAsFailure: false,
      endOnFailure: true,
    },
  );
});
