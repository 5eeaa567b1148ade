import type { Clock } from "./ports/clock.ts";

/** Counts that are kept in memory and stored in batches, so that what is counted costs no write. */
interface BatchedCounts<Count> {
  /** Adds a count; never waits and never fails. It is stored within ten seconds. */
  add(count: Count): void;
  /**
   * Gives the counts to the store, after those that are on their way. Counts that cannot be stored are
   * kept for the next time.
   */
  flush(): Promise<void>;
  /** Whether all that was counted is stored. */
  isStored(): boolean;
}

interface BatchedCountsParts<Count> {
  readonly clock: Pick<Clock, "after">;
  /** Counts with one key are summed. */
  keyOf(count: Count): string;
  sum(before: Count, count: Count): Count;
  /** How many keys are kept while they wait for the store. */
  readonly mostKeys: number;
  /** What is counted in place of a count whose key is one too many; `undefined` drops it. */
  beyond(count: Count): Count | undefined;
  /** Stores all of these or none; at most 100 at once, because other writers wait meanwhile. */
  store(counts: readonly Count[]): Promise<void>;
  /** Tells that so many counts could not be stored. */
  notStored(counts: number, thrown: unknown): void;
}

const flushMs = 10_000;
const storedTogether = 100;

export const createBatchedCounts = <Count>(parts: BatchedCountsParts<Count>): BatchedCounts<Count> => {
  const { clock, keyOf, sum, mostKeys, beyond, store, notStored } = parts;
  let counted = new Map<string, Count>();
  let scheduled = false;
  /** Settles when the flush before has ended. */
  let flushed: Promise<void> = Promise.resolve();
  let onTheirWay = 0;

  const keep = (given: Count): void => {
    const isOneTooMany = counted.size >= mostKeys && !counted.has(keyOf(given));
    const count = isOneTooMany ? beyond(given) : given;
    if (count === undefined) return;
    const key = keyOf(count);
    const before = counted.get(key);
    counted.set(key, before === undefined ? count : sum(before, count));
  };

  const flushOnce = async (): Promise<void> => {
    const batch = [...counted.values()];
    counted = new Map();
    onTheirWay = batch.length;
    let stored = 0;
    try {
      for (; stored < batch.length; stored += storedTogether) await store(batch.slice(stored, stored + storedTogether));
    } catch (thrown) {
      const left = batch.slice(stored);
      for (const count of left) keep(count);
      notStored(left.length, thrown);
    }
    onTheirWay = 0;
  };

  const flush = (): Promise<void> => {
    flushed = flushed.then(flushOnce);
    return flushed;
  };

  const flushLater = (): void => {
    scheduled = true;
    clock.after(flushMs, () => {
      scheduled = false;
      void flush().then(() => {
        if (counted.size > 0 && !scheduled) flushLater();
      });
    });
  };

  return {
    add: (count) => {
      keep(count);
      if (!scheduled) flushLater();
    },
    flush,
    isStored: () => counted.size + onTheirWay === 0,
  };
};
