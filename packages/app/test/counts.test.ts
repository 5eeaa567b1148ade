import { AppError } from "@postern/core";
import { noCounts } from "@postern/core/internal";
import { on } from "@postern/inbox";
import { Permanent } from "@postern/jobs";
import { expect, test, vi } from "vitest";
import { noop, paid, scene } from "./inbox-scene.ts";

const operator = { kind: "operator", name: "ada" } as const;
// biome-ignore lint/suspicious/noExplicitAny: the answer is compared as a whole.
type Shown = any;

const counting = async (...given: Parameters<typeof scene>) => {
  const opened = await scene(...given);
  const counts = async (query = {}): Promise<Shown> =>
    (await opened.app.run({ operation: "admin.counts", principal: operator, query })).body;
  const bySender = async (query = {}): Promise<Shown> =>
    (await opened.app.run({ operation: "admin.counts-by-provider", principal: operator, query })).body;
  return { ...opened, counts, bySender };
};

const minute = 60_000;

test("what happens is counted by minutes, hours and days, and the bucket still filling is marked", async () => {
  const { ports, deliver, work, counts } = await counting([noop]);
  const start = ports.clock.now();
  await deliver(paid);
  await deliver(paid);
  await deliver(paid, { id: "msg_2", tamper: true }).catch(() => undefined);
  await work();
  await ports.clock.advance(minute);
  await deliver(paid, { id: "msg_3" });
  const at = (ms: number) => new Date(ms).toISOString();
  const found = await counts();
  expect(found).toMatchObject({ step: "minute", provider: null, total: { received: 3, duplicate: 1, refused: 1 } });
  expect(found.buckets).toMatchObject([
    { at: at(start), filling: false, received: 2, duplicate: 1, refused: 1, processed: 1, dead: 0, late: 0 },
    { at: at(start + minute), filling: true, received: 1, duplicate: 0, refused: 0 },
  ]);
  expect(found.buckets[0].latency_ms).toEqual({ about_p50: 1, about_p95: 1, about_p99: 1 });
  for (const step of ["hour", "day"]) {
    expect((await counts({ step })).buckets).toMatchObject([{ filling: true, received: 3, processed: 2 }]);
  }
  expect((await counts({ provider: "acme" })).total).toMatchObject({ received: 3, processed: 2, waiting: 0 });
  expect((await counts({ provider: "other" })).buckets).toEqual([]);
});

test("the sums of each sender are one answer, and senders beyond the bound are said to be left out", async () => {
  const { ports, deliver, work, bySender } = await counting([noop]);
  const start = ports.clock.now();
  await deliver(paid);
  await deliver(paid, { id: "msg_2", tamper: true }).catch(() => undefined);
  await work();
  await ports.clock.advance(minute);
  await deliver(paid, { id: "msg_3" });
  const at = new Date(start - (start % minute)).toISOString();
  const acme = await bySender({ from: at });
  expect(acme).toMatchObject({ step: "minute", from: at, complete: true });
  expect(acme.providers).toEqual([
    {
      ...{ provider: "acme", received: 2, refused: 1, duplicate: 0, quarantined: 0, processed: 2, dead: 0, late: 0 },
      latency_ms: { about_p50: 1, about_p95: 1, about_p99: 1 },
    },
  ]);
  expect((await bySender({ from: at, to: new Date(start + minute).toISOString() })).providers).toMatchObject([
    { received: 1 },
  ]);
  expect((await bySender({ step: "day" })).providers).toMatchObject([{ received: 2 }]);
  const others = (names: readonly number[]) =>
    ports.storage.counts.add(
      names.map((n) => ({ ...noCounts, step: "minute", at: start, provider: `b-${1_000 + n}`, received: n })),
    );
  await others(Array.from({ length: 199 }, (_, n) => n));
  expect(await bySender()).toMatchObject({ complete: true });
  await others([199]);
  const { complete, providers } = await bySender();
  expect([complete, providers.length, providers.at(-1).provider]).toEqual([false, 200, "b-1198"]);
  await expect(bySender({ from: new Date(start - 7 * 60 * minute).toISOString(), step: "minute" })).rejects.toThrow(
    /more than 400 buckets/,
  );
  await expect(bySender({ from: at, to: at })).rejects.toThrow(/not before/);
});

test("given up and late jobs are counted, and for how long the oldest waits", async () => {
  const fails = on("acme", "*", async () => {
    throw new Permanent("no");
  });
  const { ports, deliver, work, counts } = await counting([fails]);
  await deliver(paid);
  await ports.clock.advance(5 * minute);
  const waiting = (await counts()).total;
  expect(waiting).toMatchObject({ waiting: 1, dead: 0, late: 0, latency_ms: null });
  expect(waiting.oldest_waiting_seconds).toBeGreaterThan(200);
  await work();
  expect((await counts()).total).toMatchObject({ dead: 1, late: 1, processed: 0 });
});

test("a few rows are written once a minute, whatever the traffic, and nothing while nothing happens", async () => {
  const { ports, deliver, work, counts } = await counting([noop]);
  const add = vi.spyOn(ports.storage.counts, "add");
  for (let n = 0; n < 200; n += 1) await deliver(paid, { id: `msg_${n}` });
  while ((await work()) > 0);
  expect(add).not.toHaveBeenCalled();
  await ports.clock.advance(minute);
  await vi.waitFor(() => expect(add).toHaveBeenCalledTimes(1));
  // The sender and everything together, in three steps each.
  expect(add.mock.calls[0]?.[0]).toHaveLength(6);
  await ports.clock.advance(60 * minute);
  expect(add).toHaveBeenCalledTimes(1);
  expect((await counts({ from: new Date(ports.clock.now() - 62 * minute).toISOString() })).total).toMatchObject({
    received: 200,
    processed: 200,
  });
});

test("what could not be stored is stored later, and what is left at the end of a process", async () => {
  const { app, ports, deliver, counts } = await counting([noop]);
  vi.spyOn(ports.storage.counts, "add").mockRejectedValueOnce(new AppError("unavailable"));
  await deliver(paid);
  await app.flush();
  await deliver(paid, { id: "msg_2" });
  await app.flush();
  const stored = await ports.storage.counts.list({ step: "day", provider: "acme", since: 0, until: 9e15, limit: 9 });
  expect(stored).toMatchObject([{ received: 2 }]);
  expect((await counts()).total.received).toBe(2);
});

test("percentiles are read from the histogram", async () => {
  const { ports, counts } = await counting([]);
  const at = ports.clock.now() - (ports.clock.now() % minute);
  const latency = new Array<number>(19).fill(0);
  // Half of them took 5 to 10 ms, half 1 to 2 s.
  Object.assign(latency, { 3: 50, 10: 50 });
  const none = { refused: 0, duplicate: 0, quarantined: 0, dead: 0, late: 0, waiting: 0, oldestMs: 0 };
  await ports.storage.counts.add([
    { ...none, step: "minute", at, provider: "*", received: 0, processed: 100, latency },
  ]);
  await ports.clock.advance(1);
  expect((await counts()).total.latency_ms).toEqual({ about_p50: 10, about_p95: 1_900, about_p99: 1_980 });
});

test("a span that is empty, or has too many buckets, is refused", async () => {
  const { counts, ports } = await counting([]);
  const ago = (ms: number) => new Date(ports.clock.now() - ms).toISOString();
  await expect(counts({ from: ago(0), to: ago(1) })).rejects.toThrow(/not before/);
  await expect(counts({ from: ago(26 * 60 * minute), step: "minute" })).rejects.toThrow(/more than 1500 buckets/);
  expect((await counts({ from: ago(24 * 60 * minute), step: "minute" })).step).toBe("minute");
  expect((await counts({ from: ago(26 * 60 * minute) })).step).toBe("hour");
  expect((await counts({ from: ago(90 * 24 * 60 * minute) })).step).toBe("day");
});

test("buckets are kept for a week, ninety days and four hundred days", async () => {
  const { app, ports } = await counting([]);
  const day = 24 * 60 * minute;
  const now = ports.clock.now();
  const none = { received: 1, refused: 0, duplicate: 0, quarantined: 0, processed: 0, dead: 0, late: 0 };
  const bucket = (step: "minute" | "hour" | "day", days: number) => ({
    ...none,
    latency: new Array<number>(19).fill(0),
    waiting: 0,
    oldestMs: 0,
    step,
    at: now - days * day,
    provider: "*",
  });
  for (const [step, days] of [
    ["minute", 7],
    ["hour", 90],
    ["day", 400],
  ] as const)
    await ports.storage.counts.add([bucket(step, days - 1), bucket(step, days + 1)]);
  const worker = app.worker({ name: "test", concurrency: 10 });
  await worker.start();
  for (let hour = 0; hour < 2; hour += 1) {
    await ports.clock.advance(60 * minute);
    await worker.fireSchedules();
    await worker.runDue();
    await ports.clock.advance(1_000);
  }
  for (const step of ["minute", "hour", "day"] as const) {
    const kept = await ports.storage.counts.list({ step, provider: "*", since: 0, until: now, limit: 9 });
    expect([step, kept.length]).toEqual([step, 1]);
  }
});
