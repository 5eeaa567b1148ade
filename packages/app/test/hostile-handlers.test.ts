import { runInNewContext } from "node:vm";
import { on } from "@postern/inbox";
import type { JobOptions } from "@postern/jobs";
import { defineJob, newJob, Permanent, RetryAt, Snooze } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { withJobs } from "./with-jobs.ts";

const throwingMessage = Object.defineProperty(new Error("x"), "message", {
  get: () => {
    throw new Error("no");
  },
});
const oddName = Object.defineProperty(new Error("kept"), "name", { value: Symbol("odd") });
const trap = new Proxy(new Error("x"), {
  get: () => {
    throw new Error("no");
  },
  getPrototypeOf: () => {
    throw new Error("no");
  },
});
const noText = {
  toString: () => {
    throw new Error("no");
  },
};

/** One run of a job whose handler throws this; its state, its error and when it runs again. */
const thrownBy = async (thrown: unknown, options: JobOptions = { retry: { delaysMs: [1000] } }) => {
  const job = defineJob(
    "odd",
    async () => {
      throw thrown;
    },
    options,
  );
  const { app, work, storage, clock } = await withJobs([job]);
  const [id = 0] = await app.enqueue(newJob(job, {}));
  await work();
  const stored = await storage.jobRecords.find(id);
  return { state: stored?.state, error: stored?.lastError, wait: (stored?.dueAt ?? 0) - clock.now() };
};

describe("a thrown value of any kind is a failed attempt", () => {
  test.each<[string, unknown, string]>([
    ["nothing", undefined, "undefined"],
    ["an empty text", "", "a value without text was thrown"],
    ["a text", "oops", "oops"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an object without a prototype", Object.create(null), "{}"],
    ["an object that cannot be told as text", noText, "{}"],
    ["an error whose message throws", throwingMessage, "Error: without a message"],
    ["an error with a symbol for a name", oddName, "Error: kept"],
    ["an error that not every database can store", new Error("a\0\ud800b"), "Error: a\ufffd\ufffdb"],
    ["a text that not every database can store", "a\0\ud800b", "a\ufffd\ufffdb"],
    ["a proxy that throws", trap, "cannot be read"],
    ["a revoked proxy", revoked(), "cannot be read"],
  ])("%s", async (_what, thrown, said) => {
    const { state, error } = await thrownBy(thrown);
    expect(state).toBe("scheduled");
    expect(error).toContain(said);
  });

  test("and still nothing more for a permanent one", async () => {
    expect((await thrownBy(new Permanent("never"))).state).toBe("dead");
  });
});

describe("an invalid time is a failed attempt with a clear error", () => {
  test.each<[string, unknown]>([
    ["RetryAt(NaN)", new RetryAt(Number.NaN, "later")],
    ["RetryAt(Infinity)", new RetryAt(Number.POSITIVE_INFINITY, "later")],
    ["RetryAt of a text", new RetryAt("tomorrow" as unknown as number, "later")],
  ])("%s", async (_what, thrown) => {
    const { state, error, wait } = await thrownBy(thrown);
    expect([state, error]).toEqual(["scheduled", expect.stringContaining("a retry at an invalid time")]);
    expect(wait).toBeGreaterThanOrEqual(500);
    expect(wait).toBeLessThanOrEqual(1000);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -5])("Snooze(%s)", async (ms) => {
    const { state, error } = await thrownBy(new Snooze(ms));
    expect([state, error]).toEqual(["scheduled", expect.stringContaining("not a number of ms")]);
  });

  test("a date stands for its milliseconds", async () => {
    const at = new Date("2100-01-01T00:00:00Z");
    const { state, error } = await thrownBy(new RetryAt(at as unknown as number, "later"));
    expect([state, error]).toEqual(["scheduled", "RetryAt: later"]);
  });
});

describe("a declaration that cannot be meant does not start", () => {
  const run = async () => undefined;
  test.each<[string, unknown, string]>([
    ["a retry of attempts", { retry: { attempts: 3 } }, "delaysMs"],
    ["a delay that is no number", { retry: { delaysMs: [Number.NaN] } }, "delaysMs"],
    ["a time as text", { timeoutMs: "5s" }, "timeoutMs"],
    ["no time at all", { timeoutMs: 0 }, "timeoutMs"],
    ["half a priority", { priority: 0.5 }, "priority"],
    ["an unknown rule", { onDead: "drop" }, "onDead"],
    ["another unknown rule", { onRetry: "wait" }, "onRetry"],
  ])("%s", (_what, options, said) => {
    // Plain JavaScript can write all of these.
    expect(() => defineJob("j", run, options as JobOptions)).toThrow(said);
    expect(() => on("stripe", "*", run, options as JobOptions)).toThrow(said);
  });

  test.each<[string, Parameters<typeof newJob>[2], string]>([
    ["dueAt NaN", { dueAt: Number.NaN }, "dueAt"],
    ["an empty order key", { orderKey: "" }, "orderKey"],
    ["a key of 192 bytes", { orderKey: "ä".repeat(96) }, "orderKey"],
    ["an empty unique key", { unique: { key: "" } }, "unique.key"],
    ["half a priority", { priority: 0.5 }, "priority"],
  ])("a job with %s is refused", (_what, more, said) => {
    expect(() => newJob(defineJob("j", run), {}, more)).toThrow(said);
  });

  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  test.each<[string, unknown, string]>([
    ["more than 64 KiB", "ä".repeat(32 * 1024), "65538 bytes"],
    ["a big integer", { n: 1n }, "payload.n: a bigint"],
    ["itself inside", cyclic, ".se…: nested more than 500 levels deep, or in a circle"],
    ["a function", { run }, "payload.run: a function"],
    ["a date", { at: new Date(0) }, "payload.at: a Date; write its toISOString()"],
    ["a map", [new Map()], "payload[0]: a Map"],
    ["a set", new Set(), "payload: a Set"],
    ["an error", { cause: new RangeError("x") }, "payload.cause: an Error; write its message"],
    ["bytes", { body: Buffer.from("x") }, "payload.body: bytes (Buffer)"],
    ["NaN", [1, Number.NaN], "payload[1]: NaN"],
    ["an infinite number", Number.POSITIVE_INFINITY, "payload: Infinity"],
    ["undefined in a list", { of: [1, undefined] }, "payload.of[1]: undefined"],
    ["a hole in a list", new Array(1), "payload[0]: undefined"],
    ["a symbol", { kind: Symbol("x") }, "payload.kind: a symbol"],
    ["an object of a class", { of: new (class Money {})() }, "payload.of: a Money; write a plain object"],
    ["an object with toJSON", { toJSON: () => 1 }, "payload: an object with toJSON"],
    ["an object that cannot be read", revoked(), "payload: it cannot be read"],
  ])("a job whose payload is or has %s is refused", (_what, payload, said) => {
    expect(() => newJob(defineJob<unknown>("j", run), payload)).toThrow(said);
    expect(newJob(defineJob<unknown>("j", run), "x".repeat(64 * 1024 - 2)).payload).toHaveLength(65_534);
  });

  test("a job's payload may leave members out, and come from another realm", () => {
    const foreign: unknown = runInNewContext('({ a: [1, "x", null, true], b: Object.create(null) })');
    const job = defineJob<unknown>("j", run);
    expect(newJob(job, foreign).payload).toBe(foreign);
    expect(newJob(job, { a: 1, note: undefined }).payload).toEqual({ a: 1 });
    expect(newJob(job, undefined).payload).toBeUndefined();
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
