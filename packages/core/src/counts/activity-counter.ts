import type { Counts } from "../ports/count-store.ts";
import type { DeliveryResult } from "../ports/delivery-counts.ts";
import type { JobEnd } from "../ports/job.ts";
import type { Ports } from "../ports/ports.ts";
import { bucketAt, everyProvider, inEachStep, latencyPlace, noCounts, summed } from "./counts.ts";

/** Counts what happens in this process, over time. */
export interface ActivityCounter {
  /** Counts deliveries; never waits and never fails. */
  delivered(provider: string, result: DeliveryResult, deliveries: number): void;
  /** Counts the begin of a job of an event that was stored `ms` before. */
  begun(provider: string, ms: number): void;
  /** Counts the end of an attempt of a job that was stored `ms` before. `provider` is empty if it is about no event. */
  ended(provider: string, to: JobEnd["to"], ms: number): void;
  /** Stores what was counted, and how many jobs wait now. What cannot be stored is kept for the next time. */
  flush(): Promise<void>;
  /** Stores what was counted, and sets no timer until something is counted again. */
  stop(): Promise<void>;
}

/** A job that waits for longer is late. */
const lateMs = 60_000;
const minuteMs = 60_000;
/** While the store is away, so many buckets are kept. Further ones are not counted. */
const mostKept = 5_000;
/** So many are stored in one transaction, because other writers wait meanwhile. */
const storedTogether = 30;

type Changing = { -readonly [Name in keyof Counts]: Counts[Name] extends readonly number[] ? number[] : number };

const empty = (): Changing => ({ ...noCounts, latency: [...noCounts.latency] });

export const createActivityCounter = ({
  storage,
  clock,
  telemetry,
}: Pick<Ports, "storage" | "clock" | "telemetry">): ActivityCounter => {
  let counted = new Map<string, { readonly at: number; readonly provider: string; readonly counts: Changing }>();
  let cancel: (() => void) | undefined;
  let flushing: Promise<void> = Promise.resolve();

  const bucketOf = (provider: string, at: number): Changing | undefined => {
    const key = `${at} ${provider}`;
    const known = counted.get(key);
    if (known !== undefined) return known.counts;
    if (counted.size >= mostKept) return undefined;
    const counts = empty();
    counted.set(key, { at, provider, counts });
    return counts;
  };

  /** The buckets in which something that happens now is counted. */
  const bucketsOf = (provider: string): readonly Changing[] => {
    if (cancel === undefined) schedule();
    const now = clock.now();
    const at = now - (now % minuteMs);
    const all = bucketOf(everyProvider, at);
    const own = provider === "" ? undefined : bucketOf(provider, at);
    if (all === undefined) return own === undefined ? [] : [own];
    return own === undefined ? [all] : [all, own];
  };

  /** Notes how many jobs wait, and says whether any does. */
  const measure = async (): Promise<boolean> => {
    const now = clock.now();
    const queues = await storage.queues.list();
    const waiting = queues.reduce((sum, { ready }) => sum + ready, 0);
    if (waiting === 0) return false;
    const oldest = Math.min(...queues.map(({ oldestReadyAt = now }) => oldestReadyAt));
    const all = bucketOf(everyProvider, bucketAt("minute", now));
    if (all !== undefined) {
      all.waiting = Math.max(all.waiting, waiting);
      all.oldestMs = Math.max(all.oldestMs, now - oldest);
    }
    return true;
  };

  const store = async (): Promise<void> => {
    let left = [...counted.values()];
    counted = new Map();
    try {
      while (left.length > 0) {
        const batch = left.slice(0, storedTogether);
        await storage.counts.add(batch.flatMap(({ provider, at, counts }) => inEachStep(provider, at, counts)));
        left = left.slice(storedTogether);
      }
    } catch (thrown) {
      for (const { provider, at, counts } of left) {
        const now = bucketOf(provider, at);
        if (now !== undefined) Object.assign(now, summed(now, counts));
      }
      schedule();
      telemetry.log("warn", "what happened could not be counted", { counts: left.length }, thrown);
    }
  };

  const flush = (): Promise<void> => {
    flushing = flushing.then(async () => {
      const waits = await measure().catch(() => true);
      await store();
      // While jobs wait, somebody may want to see for how long they did.
      if (waits) schedule();
    });
    return flushing;
  };

  const schedule = (): void => {
    // At the end of the minute, so that each is written once.
    cancel ??= clock.after(minuteMs - (clock.now() % minuteMs), () => {
      cancel = undefined;
      void flush();
    });
  };

  return {
    delivered: (provider, result, deliveries) => {
      if (result === "busy" || result === "too_large") return;
      for (const counts of bucketsOf(provider)) {
        if (result === "refused") counts.refused += deliveries;
        else counts.received += deliveries;
        if (result === "duplicate" || result === "quarantined") counts[result] += deliveries;
      }
    },
    begun: (provider, ms) => {
      if (ms <= lateMs) return;
      for (const counts of bucketsOf(provider)) counts.late += 1;
    },
    ended: (provider, to, ms) => {
      if (to !== "done" && to !== "dead") return;
      const place = latencyPlace(ms);
      for (const counts of bucketsOf(provider)) {
        if (to === "dead") {
          counts.dead += 1;
          continue;
        }
        counts.processed += 1;
        counts.latency[place] = (counts.latency[place] ?? 0) + 1;
      }
    },
    flush,
    stop: async () => {
      // A process that has counted nothing does not ask the storage, which may not be there.
      if (cancel === undefined) return;
      await flush();
      cancel?.();
      cancel = undefined;
    },
  };
};
