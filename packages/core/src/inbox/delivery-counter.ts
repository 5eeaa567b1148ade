import type { DeliveryCount, DeliveryResult } from "../ports/delivery-counts.ts";
import type { Ports } from "../ports/index.ts";

/** Counts in memory what becomes of webhooks, and stores the counts in batches. */
export interface DeliveryCounter {
  /** Counts deliveries; never waits and never fails. `reason` is the code of a refusal. */
  note(provider: string, result: DeliveryResult, deliveries?: number, reason?: string): void;
  /** Gives the counts to the store. Counts that cannot be stored are kept for the next time. */
  flush(): Promise<void>;
}

const minuteMs = 60_000;
const flushMs = 10_000;
/** While the store is away, so many counts are kept. Further ones are not counted. */
const mostKept = 10_000;

/** A webhook costs no write of its own here: the counts of ten seconds are one write. */
export const createDeliveryCounter = ({
  storage: { deliveryCounts },
  clock,
  telemetry,
}: Pick<Ports, "storage" | "clock" | "telemetry">): DeliveryCounter => {
  let counted = new Map<string, DeliveryCount>();
  let scheduled = false;

  const add = (count: DeliveryCount): void => {
    const key = `${count.minute} ${count.provider} ${count.result} ${count.reason}`;
    const before = counted.get(key);
    if (before === undefined && counted.size >= mostKept) return;
    counted.set(key, before === undefined ? count : { ...count, deliveries: before.deliveries + count.deliveries });
  };

  const flush = async (): Promise<void> => {
    if (counted.size === 0) return;
    const batch = [...counted.values()];
    counted = new Map();
    try {
      await deliveryCounts.add(batch);
    } catch (thrown) {
      for (const count of batch) add(count);
      telemetry.log("warn", "the counts of deliveries could not be stored", { counts: batch.length }, thrown);
    }
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    clock.after(flushMs, () => {
      scheduled = false;
      void flush().then(() => {
        if (counted.size > 0) schedule();
      });
    });
  };

  return {
    note: (provider, result, deliveries = 1, reason = "") => {
      const minute = clock.now() - (clock.now() % minuteMs);
      add({ minute, provider, result, reason, deliveries });
      schedule();
    },
    flush,
  };
};
