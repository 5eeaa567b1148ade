import type { RefusalFilter, RefusalStore, RefusedDelivery } from "../ports/refusal-store.ts";

/** Refused deliveries, kept while the process lives. */
export const memoryRefusals = (): RefusalStore => {
  let kept: readonly RefusedDelivery[] = [];
  const narrowed = ({ provider, reason, since = 0, until = Number.POSITIVE_INFINITY }: RefusalFilter) =>
    kept.filter(
      (one) =>
        (provider === undefined || one.provider === provider) &&
        (reason === undefined || one.reason === reason) &&
        one.at >= since &&
        one.at < until,
    );
  return {
    add: async (refusals, keep) => {
      kept = [...kept, ...refusals].toSorted((left, right) => (left.id < right.id ? -1 : 1)).slice(-keep);
    },
    find: async (wanted) => kept.find(({ id }) => id === wanted),
    list: async ({ before, after, limit, ...filter }) => {
      const found = narrowed(filter).filter(
        ({ id }) => (before === undefined || id < before) && (after === undefined || id > after),
      );
      return (after === undefined ? found.toReversed() : found).slice(0, limit);
    },
    count: async (filter, atMost) => Math.min(narrowed(filter).length, atMost),
    prune: async (before, limit) => {
      const old = new Set(narrowed({ until: before }).slice(0, limit));
      kept = kept.filter((one) => !old.has(one));
      return old.size;
    },
  };
};
