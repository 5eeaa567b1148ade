import type { CountBucket, CountStep, Counts } from "../ports/count-store.ts";

export const countSteps: Readonly<Record<CountStep, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** For how many days buckets of each step are kept. */
export const countDays: Readonly<Record<CountStep, number>> = { minute: 7, hour: 90, day: 400 };

/** Milliseconds. A job that took longer than the last belongs to one more bucket. */
const latencyBounds: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000, 3_600_000, 86_400_000,
];

export const noCounts: Counts = {
  received: 0,
  refused: 0,
  duplicate: 0,
  quarantined: 0,
  processed: 0,
  dead: 0,
  late: 0,
  latency: latencyBounds.map(() => 0).concat(0),
  waiting: 0,
  oldestMs: 0,
};

/** Both together. Of what was measured at moments, the most. */
export const summed = (left: Counts, right: Counts): Counts => ({
  received: left.received + right.received,
  refused: left.refused + right.refused,
  duplicate: left.duplicate + right.duplicate,
  quarantined: left.quarantined + right.quarantined,
  processed: left.processed + right.processed,
  dead: left.dead + right.dead,
  late: left.late + right.late,
  latency: left.latency.map((count, place) => count + (right.latency[place] ?? 0)),
  waiting: Math.max(left.waiting, right.waiting),
  oldestMs: Math.max(left.oldestMs, right.oldestMs),
});

/** The first millisecond of the bucket to which a time belongs. */
export const bucketAt = (step: CountStep, time: number): number => time - (time % countSteps[step]);

/** Under this name everything together is counted. */
export const everyProvider = "*";

/** The same counts in the bucket of each step. */
export const inEachStep = (provider: string, at: number, counts: Counts): readonly CountBucket[] =>
  (["minute", "hour", "day"] as const).map((step) => ({ ...counts, step, provider, at: bucketAt(step, at) }));

/** The place in `latency` of a job that took so long. */
export const latencyPlace = (ms: number): number => {
  let place = 0;
  while (ms > (latencyBounds[place] ?? ms)) place += 1;
  return place;
};

/**
 * About how many milliseconds a share of the jobs took at most, such as 0.95: as if those of each
 * bucket were spread evenly. Above the last bound it is that bound. `undefined` if there is none.
 */
export const aboutQuantile = (latency: readonly number[], share: number): number | undefined => {
  const all = latency.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  let before = 0;
  for (const [place, count] of latency.entries()) {
    const wanted = share * all - before;
    before += count;
    if (before < share * all || count === 0) continue;
    const low = latencyBounds[place - 1] ?? 0;
    const high = latencyBounds[place] ?? low;
    return Math.round(low + ((high - low) * wanted) / count);
  }
  return latencyBounds.at(-1);
};
