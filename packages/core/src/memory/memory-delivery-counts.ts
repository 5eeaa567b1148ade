import type { DeliveryCount, DeliveryCounts, DeliverySum } from "../ports/delivery-counts.ts";

const keyOf = ({ provider, result, reason }: Pick<DeliveryCount, "provider" | "result" | "reason">): string =>
  `${provider} ${result} ${reason}`;

/** Counts of deliveries, kept while the process lives. */
export const memoryDeliveryCounts = (): DeliveryCounts => {
  const minutes = new Map<string, DeliveryCount>();
  return {
    add: async (counts) => {
      for (const count of counts) {
        const key = `${count.minute} ${keyOf(count)}`;
        const deliveries = (minutes.get(key)?.deliveries ?? 0) + count.deliveries;
        minutes.set(key, { ...count, deliveries });
      }
    },
    sums: async ({ since, limit }) => {
      const sums = new Map<string, DeliverySum>();
      for (const { minute, ...count } of minutes.values()) {
        if (minute < since) continue;
        const before = sums.get(keyOf(count)) ?? { ...count, deliveries: 0, firstMinute: minute, lastMinute: minute };
        sums.set(keyOf(count), {
          ...count,
          deliveries: before.deliveries + count.deliveries,
          firstMinute: Math.min(before.firstMinute, minute),
          lastMinute: Math.max(before.lastMinute, minute),
        });
      }
      return [...sums.values()].toSorted((left, right) => right.deliveries - left.deliveries).slice(0, limit);
    },
    prune: async (before, limit) => {
      const old = [...minutes].filter(([, { minute }]) => minute < before).slice(0, limit);
      for (const [key] of old) minutes.delete(key);
      return old.length;
    },
  };
};
