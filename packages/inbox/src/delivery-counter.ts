import type { Ports } from "@postern/core";
import type { ActivityCounter } from "@postern/core/internal";
import { createBatchedCounts } from "@postern/core/internal";
import type { DeliveryCount, DeliveryResult } from "@postern/core/ports";

/** Counts what becomes of webhooks. */
export interface DeliveryCounter {
  /** Counts deliveries; never waits and never fails. `reason` is the code of a refusal. */
  note(provider: string, result: DeliveryResult, deliveries?: number, reason?: string): void;
  /** Gives the counts to the store. Counts that cannot be stored are kept for the next time. */
  flush(): Promise<void>;
}

const minuteMs = 60_000;
/** While the store is away, so many counts are kept. Further ones are not counted. */
const mostKeys = 10_000;

/** `activity` counts them, too, over time and without reasons. */
export const createDeliveryCounter = (
  { storage: { deliveryCounts }, clock, telemetry }: Pick<Ports, "storage" | "clock" | "telemetry">,
  activity?: Pick<ActivityCounter, "delivered">,
): DeliveryCounter => {
  const counts = createBatchedCounts<DeliveryCount>({
    clock,
    keyOf: ({ minute, provider, result, reason }) => `${minute} ${provider} ${result} ${reason}`,
    sum: (before, count) => ({ ...before, deliveries: before.deliveries + count.deliveries }),
    mostKeys,
    beyond: () => undefined,
    store: (batch) => deliveryCounts.add(batch),
    notStored: (left, thrown) =>
      telemetry.log("warn", "the counts of deliveries could not be stored", { counts: left }, thrown),
  });
  return {
    note: (provider, result, deliveries = 1, reason = "") => {
      const minute = clock.now() - (clock.now() % minuteMs);
      counts.add({ minute, provider, result, reason, deliveries });
      activity?.delivered(provider, result, deliveries);
    },
    flush: counts.flush,
  };
};
