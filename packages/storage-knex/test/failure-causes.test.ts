import type { Storage } from "@postern/core";
import { memoryStorage } from "@postern/core/memory";
import { expect, test } from "vitest";
import { sqlite } from "./databases.ts";

const now = 1_800_000_000_000;
const perCause = [6_000, 3_000, 1_500, 900, 400, 150, 50];
const words = ["closed", "late", "full", "slow", "empty", "broken", "gone"];

/** Fails each attempt of jobs that have as many attempts as failures are wanted of their cause. */
const failOften = async ({ jobs }: Storage, failures: number, cause: number): Promise<void> => {
  const attempts = 10;
  const kind = `handler-${cause}`;
  const enqueued = Array.from({ length: failures / attempts }, () => ({ kind, maxAttempts: attempts }));
  await jobs.enqueue(enqueued, now);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const claimed = await jobs.claim({ runnerId: 900_000, queue: "default", limit: 1_000, now, kinds: [kind] });
    expect(claimed).toHaveLength(enqueued.length);
    const ends = claimed.map((job) => {
      const error = `Error: the account ac_${job.id}x${attempt} is ${words[cause]} since ${attempt} minutes`;
      return { job, end: { to: "scheduled", at: now, error, stack: `    at pay (pay.ts:${attempt}:1)` } as const };
    });
    await jobs.finish(ends, now + attempt);
    await jobs.promoteDue(now);
  }
};

interface Opened {
  readonly storage: Storage;
  close(): Promise<unknown>;
}

const places: readonly (readonly [string, () => Promise<Opened>])[] = [
  ["in memory", async () => ({ storage: memoryStorage(), close: async () => undefined })],
  ["on SQLite", () => sqlite.fresh()],
];

test.each(places)("12,000 failures of 7 causes are 7 rows %s", { timeout: 60_000 }, async (_where, open) => {
  const { storage, close } = await open();
  for (const [cause, failures] of perCause.entries()) await failOften(storage, failures, cause);
  const { failures, causes } = await storage.jobRecords.causes({ since: 0, limit: 100 });
  expect(failures).toBe(12_000);
  expect(causes.map((one) => [one.failures, one.firstAt - now, one.lastAt - now])).toEqual(
    perCause.map((count) => [count, 1, 10]),
  );
  const since = await storage.jobRecords.causes({ since: now + 10, limit: 3 });
  expect([since.failures, since.causes.map((one) => one.failures)]).toEqual([1_200, [600, 300, 150]]);
  await close();
});
