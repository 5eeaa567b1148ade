import assert from "node:assert/strict";
import { noCounts } from "../counts/counts.ts";
import type { CountBucket } from "../ports/count-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";

const minute = Date.UTC(2026, 10, 21, 12);
const bucket = (changes: Partial<CountBucket> = {}): CountBucket => ({
  ...noCounts,
  step: "minute",
  at: minute,
  provider: "stripe",
  ...changes,
});
const all = { step: "minute", provider: "stripe", since: 0, until: minute * 2, limit: 2_000 } as const;

/** What every `CountStore` promises, on a fresh storage. */
export const countStoreContract: Contract<Storage> = {
  "knows of nothing at first, and takes nothing": async ({ counts }) => {
    await counts.add([]);
    assert.deepEqual(await counts.list(all), []);
  },
  "adds up what is counted, and keeps the most of what is measured": async ({ counts }) => {
    const latency = noCounts.latency.map((_, place) => place);
    const first = bucket({ received: 2, refused: 1, duplicate: 3, quarantined: 4, waiting: 9, oldestMs: 10, latency });
    const second = bucket({ received: 5, processed: 6, dead: 7, late: 8, waiting: 3, oldestMs: 70_000, latency });
    await counts.add([first]);
    assert.deepEqual(await counts.list(all), [first]);
    await counts.add([second]);
    assert.deepEqual(await counts.list(all), [
      bucket({
        received: 7,
        refused: 1,
        duplicate: 3,
        quarantined: 4,
        processed: 6,
        dead: 7,
        late: 8,
        latency: latency.map((count) => 2 * count),
        waiting: 9,
        oldestMs: 70_000,
      }),
    ]);
  },
  "keeps steps, senders and times apart, oldest first": async ({ counts }) => {
    await counts.add([
      bucket({ at: minute + 60_000, received: 2 }),
      bucket({ received: 1 }),
      bucket({ step: "hour", received: 3 }),
      bucket({ provider: "*", received: 4 }),
      bucket({ at: minute + 120_000, received: 5 }),
    ]);
    const received = async (changes: object) => (await counts.list({ ...all, ...changes })).map((one) => one.received);
    assert.deepEqual(await received({}), [1, 2, 5]);
    assert.deepEqual(await received({ limit: 2 }), [1, 2]);
    assert.deepEqual(await received({ since: minute + 60_000, until: minute + 120_000 }), [2]);
    assert.deepEqual(await received({ step: "hour" }), [3]);
    assert.deepEqual(await received({ provider: "*" }), [4]);
    assert.deepEqual(await received({ step: "day" }), []);
  },
  "sums what was counted of each sender, by name": async ({ counts }) => {
    const latency = noCounts.latency.map((_, place) => place);
    await counts.add([
      bucket({ provider: "*", received: 99 }),
      bucket({ provider: "github", refused: 1, latency }),
      bucket({ provider: "github", at: minute + 60_000, refused: 4, late: 2, oldestMs: 5, latency }),
      bucket({ provider: "acme-2", at: minute - 60_000, received: 7 }),
      bucket({ provider: "acme", at: minute + 120_000, received: 8 }),
      bucket({ provider: "Acme", step: "hour", received: 9 }),
      bucket({ received: 1 }),
    ]);
    const sums = (changes: object = {}) =>
      counts.sums({ step: "minute", since: minute, until: minute + 120_000, limit: 1_000, ...changes });
    const github = { refused: 5, late: 2, oldestMs: 5, latency: latency.map((count) => 2 * count) };
    assert.deepEqual(await sums(), [
      { ...noCounts, ...github, provider: "github" },
      { ...noCounts, received: 1, provider: "stripe" },
    ]);
    const received = async (changes: object) =>
      (await sums(changes)).map((one) => [one.provider, one.received] as const);
    const all = { since: 0, until: minute * 2 };
    assert.deepEqual(await received(all), [
      ["acme", 8],
      ["acme-2", 7],
      ["github", 0],
      ["stripe", 1],
    ]);
    assert.deepEqual(await received({ ...all, limit: 2 }), [
      ["acme", 8],
      ["acme-2", 7],
    ]);
    assert.deepEqual(await received({ limit: 1 }), [["github", 0]]);
    assert.deepEqual(await received({ step: "hour", since: 0 }), [["Acme", 9]]);
    assert.deepEqual(await received({ step: "day" }), []);
  },
  "deletes old buckets of a step": async ({ counts }) => {
    await counts.add([0, 1, 2].map((n) => bucket({ at: minute + n * 60_000 })));
    await counts.add([bucket({ step: "day" })]);
    assert.equal(await counts.prune("minute", minute + 120_000, 1), 1);
    assert.equal(await counts.prune("minute", minute + 120_000, 1_000), 1);
    assert.equal(await counts.prune("minute", minute + 120_000, 1_000), 0);
    assert.deepEqual([(await counts.list(all)).length, (await counts.list({ ...all, step: "day" })).length], [1, 1]);
  },
  "loses nothing of what several processes add at once": async ({ counts }) => {
    const added = () => counts.add([bucket({ received: 1 }), bucket({ provider: "*", received: 1, late: 1 })]);
    await Promise.all(Array.from({ length: 20 }, added));
    assert.equal((await counts.list(all))[0]?.received, 20);
    assert.equal((await counts.list({ ...all, provider: "*" }))[0]?.late, 20);
  },
};
