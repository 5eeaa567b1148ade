import { everyProvider, noCounts, summed } from "../counts/counts.ts";
import type { CountBucket, CountStore, Counts } from "../ports/count-store.ts";

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
    sums: async ({ step, since, until, limit }) => {
      const sums = new Map<string, Counts>();
      for (const one of buckets.values()) {
        if (one.step !== step || one.provider === everyProvider || one.at < since || one.at >= until) continue;
        sums.set(one.provider, summed(sums.get(one.provider) ?? noCounts, one));
      }
      return [...sums]
        .map(([provider, counts]) => ({ ...counts, provider }))
        .toSorted((left, right) => (left.provider < right.provider ? -1 : 1))
        .slice(0, limit);
    },
    prune: async (step, before, limit) => {
      const old = [...buckets].filter(([, one]) => one.step === step && one.at < before).slice(0, limit);
      for (const [key] of old) buckets.delete(key);
      return old.length;
    },
  };
};
