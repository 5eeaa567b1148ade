import { AppError } from "@postern/core";
import { runningTime } from "@postern/core/internal";
import type { Clock } from "@postern/core/ports";

export interface GroupLimits<Item> {
  /** The most items that one flush takes. */
  readonly items: number;
  /** The most items that may wait. Further ones are refused. */
  readonly waiting: number;
  /**
   * Waits for items that come at the same time as the first one. A flush takes its items when this
   * has resolved. Default: it takes them at once.
   */
  readonly together?: () => Promise<void>;
  /** How many flushes may run at once. Default: 1. */
  readonly flushes?: number;
  /** Bounds in bytes in addition to those in items. An item larger than `flush` goes alone. */
  readonly bytes?: { readonly of: (item: Item) => number; readonly flush: number; readonly waiting: number };
  /**
   * The longest wait for a result, in milliseconds in which the event loop ran. Then the promise
   * rejects with `tooLate`, although the item may still be stored. Without it a caller waits for as
   * long as the flush takes.
   */
  readonly patience?: { readonly clock: Clock; readonly ms: number; readonly tooLate: () => Error };
  /**
   * Called with an item whose caller is refused or no longer waits. Perhaps no flush has taken the
   * item. It must not throw.
   */
  readonly gone?: (item: Item) => void;
  /**
   * After a flush of `from` items or more, the next one is held back for up to `ms`: callers who
   * were just answered often send the next item at once, and a large flush costs less for each
   * item. It starts early when as many items wait as were flushed and waiting before. PostgreSQL
   * does the same with `commit_delay` and `commit_siblings`. A further flush at the same time
   * begins only when the newest one has run for `slowMs`: two at once would each be half as large.
   * Without `gather` no flush is held back.
   */
  readonly gather?: { readonly clock: Clock; readonly from: number; readonly ms: number; readonly slowMs: number };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  /** Ends the time in which the caller may be refused as too late. */
  stopWaiting: (() => void) | undefined;
}

/**
 * Flushes a batch and answers its callers. A batch that fails is halved until the bad item is
 * alone, so that it does not fail its neighbours.
 */
const settle = async <Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> => {
  try {
    const items: Item[] = [];
    for (const { item } of batch) items.push(item);
    const results = await flush(items);
    // Without this, a caller whose answer is missing would wait forever.
    if (results.length < batch.length) throw new Error("a batch was answered with too few results");
    for (const [index, one] of batch.entries()) {
      one.stopWaiting?.();
      one.resolve(results[index] as Result);
    }
  } catch (thrown) {
    // A store that cannot be reached cannot be reached for any item. Asking again would only make
    // each item wait for the one before.
    const forAll = thrown instanceof AppError && thrown.status >= 500;
    if (forAll || batch.length === 1) {
      for (const one of batch) {
        one.stopWaiting?.();
        one.reject(thrown);
      }
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await settle(batch.slice(0, middle), flush);
    await settle(batch.slice(middle), flush);
  }
};

/** Calls `over` after the time for which a flush is held back. The returned function ends it early. */
const endsAfter = ({ clock, ms }: NonNullable<GroupLimits<never>["gather"]>, over: () => void): (() => void) => {
  const end = (): void => {
    cancel();
    over();
  };
  // Items that the event loop has received by then come first, because answering the last flush may
  // have taken all of the time. With 64 senders, a flush held 39 events this way, and 33 without it.
  let cancel = clock.after(ms, () => {
    cancel = clock.after(0, end);
  });
  return end;
};

/**
 * Group commit: items that arrive during a flush share the next one. If no flush runs, an item is
 * flushed at once, or after `together`. So a lone item is not delayed, and a burst shares its
 * commits. A batch that fails is halved until the bad item is alone, so that it does not fail its
 * neighbours. If the store itself cannot be reached (an `AppError` of status 500 or more), the whole
 * batch fails at once.
 *
 * The returned function resolves with the item's own result. @throws AppError `overloaded` when too
 * much is waiting.
 */
export const groupCommit = <Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  limits: GroupLimits<Item>,
): ((item: Item) => Promise<Result>) => {
  const { together, flushes = 1, bytes, patience, gather } = limits;
  const waits = patience === undefined ? undefined : runningTime(patience.clock, patience.ms);
  let waiting: Waiting<Item, Result>[] = [];
  let waitingBytes = 0;
  let flushing = 0;
  /** When the newest flush began. Only kept if `gather` is given. */
  let flushedAt = 0;
  let isOpening = false;
  /** Ends the time in which the next flush is held back, once this many items wait. */
  let heldBack: { readonly until: number; readonly end: () => void } | undefined;

  /** Whether a flush could not take more. */
  const isFull = (): boolean => waiting.length >= limits.items || (bytes !== undefined && waitingBytes >= bytes.flush);

  const holdBack = (how: NonNullable<typeof gather>, until: number): Promise<void> =>
    new Promise((resolve) => {
      const over = (): void => {
        heldBack = undefined;
        resolve();
      };
      heldBack = { until, end: endsAfter(how, over) };
    });

  const drain = async (): Promise<void> => {
    flushing += 1;
    while (waiting.length > 0) {
      if (together !== undefined) await together();
      // As many of the oldest items as fit into one flush.
      let count = 0;
      let size = 0;
      for (const { bytes: own } of waiting) {
        if (count >= limits.items || (count > 0 && bytes !== undefined && size + own > bytes.flush)) break;
        count += 1;
        size += own;
      }
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      waitingBytes -= size;
      // Another flush has taken the items meanwhile.
      if (batch.length === 0) break;
      if (gather !== undefined) flushedAt = gather.clock.monotonic();
      await settle(batch, flush);
      if (gather === undefined || flushing > 1 || batch.length < gather.from || isFull()) continue;
      await holdBack(gather, batch.length + waiting.length);
    }
    flushing -= 1;
  };

  /** Begins one more flush for the waiting items: at once, or when the newest flush proves slow. */
  const flushMore = (): void => {
    if (waiting.length === 0 || flushing >= flushes || isOpening || heldBack !== undefined) return;
    const left = gather === undefined || flushing === 0 ? 0 : flushedAt + gather.slowMs - gather.clock.monotonic();
    if (gather === undefined || left <= 0) {
      void drain();
      return;
    }
    isOpening = true;
    gather.clock.after(left, () => {
      isOpening = false;
      flushMore();
    });
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const own = bytes?.of(item) ?? 0;
      const full = waiting.length >= limits.waiting || (bytes !== undefined && waitingBytes + own > bytes.waiting);
      if (full) {
        limits.gone?.(item);
        reject(new AppError("overloaded", { headers: { "retry-after": "1" } }));
        return;
      }
      const one: Waiting<Item, Result> = { item, bytes: own, resolve, reject, stopWaiting: undefined };
      waiting.push(one);
      if (patience !== undefined) {
        one.stopWaiting = waits?.after(() => {
          limits.gone?.(item);
          reject(patience.tooLate());
        });
      }
      waitingBytes += own;
      if (heldBack === undefined) flushMore();
      else if (waiting.length >= heldBack.until || isFull()) heldBack.end();
    });
};
