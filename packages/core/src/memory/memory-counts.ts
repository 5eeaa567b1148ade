import { summed } from "../counts/counts.ts";
import type { CountBucket, CountStore } from "../ports/count-store.ts";

/** Counts over time, kept while the process lives. */
export const memoryCounts = (): CountStore => {
  const buckets = new Map<string, CountBucket>();
  return {
    add: async (added) => {
      for (const bucket of added) {
        const key = `${bucket.step} ${bucket.at} ${bucket.provider}`;
        const before = buckets.get(key);
        buckets.set(key, before === undefined ? bucket : { ...bucket, ...summed(before, bucket) });
      }
    },
    list: async ({ step, provider, since, until, limit }) =>
      [...buckets.values()]
        .filter((one) => one.step === step && one.provider === provider && one.at >= since && one.at < until)
        .toSorted((left, right) => left.at - right.at)
        .slice(0, limit),
    prune: async (step, before, limit) => {
      const old = [...buckets].filter(([, one]) => one.step === step && one.at < before).slice(0, limit);
      for (const [key] of old) buckets.delete(key);
      return old.length;
    },
  };
};
