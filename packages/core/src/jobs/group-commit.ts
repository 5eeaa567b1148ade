import { AppError } from "../errors/index.ts";
import type { Clock } from "../ports/clock.ts";
import { runningTime } from "../running-time.ts";

export interface GroupLimits<Item> {
  /** The most items one flush takes. */
  readonly items: number;
  /** The most items that may wait; further ones are refused. */
  readonly waiting: number;
  /** How many flushes may be under way at once; 1 unless given. */
  readonly flushes?: number;
  /** Bounds in bytes beside those in items; an item that is larger than `flush` goes alone. */
  readonly bytes?: { readonly of: (item: Item) => number; readonly flush: number; readonly waiting: number };
  /**
   * The longest wait for a result, in milliseconds in which the event loop ran. Then the promise rejects with `tooLate`, while the item may
   * still be stored. Without it a caller waits for as long as the flush takes.
   */
  readonly patience?: { readonly clock: Clock; readonly ms: number; readonly tooLate: () => Error };
  /**
   * Called with an item whose caller is refused or does not wait any longer, and which perhaps no flush has taken. It must not throw.
   */
  readonly gone?: (item: Item) => void;
  /**
   * After a flush of `from` items or more, the next one is held back for up to `ms`: those who were
   * just answered often send the next item at once, and a large flush costs less for each item. It
   * starts early when as many items wait as were flushed and waiting before. PostgreSQL does the
   * same with `commit_delay` and `commit_siblings`. A further flush at the same time begins only when
   * the newest one has been under way for `slowMs`: two at once would each be half as large. Without
   * it no flush is held back.
   */
  readonly gather?: { readonly clock: Clock; readonly from: number; readonly ms: number; readonly slowMs: number };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  /** Ends the wait in which the caller has patience. */
  stopWaiting: (() => void) | undefined;
}

/**
 * Group commit: items that come while a flush is under way share the next one. When none is under
 * way, an item is flushed at once, so a lone item is not delayed, and a burst shares its commits. A
 * batch that fails is halved until the bad item stands alone, so that it does
 * not fail its neighbours. When the store itself is away (an `AppError` of status 500 or more), the
 * whole batch fails at once.
 *
 * The returned function resolves with the item's own result. @throws AppError `overloaded` when too
 * much is waiting.
 */
export const groupCommit = <Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  limits: GroupLimits<Item>,
): ((item: Item) => Promise<Result>) => {
  const { flushes = 1, bytes, patience, gather } = limits;
  const expiry = patience === undefined ? undefined : createExpiry<Item, Waiting<Item, Result>>(patience, limits.gone);
  let waiting: Waiting<Item, Result>[] = [];
  let waitingBytes = 0;
  let flushing = 0;
  /** When the newest flush began; kept while `gather` is given. */
  let flushedAt = 0;
  let isOpening = false;
  /** Ends the time in which the next flush is held back, once this many items wait. */
  let heldBack: { readonly until: number; readonly end: () => void } | undefined;

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await flush(batch.map(({ item }) => item));
      // A flush answers each item; a missing answer would otherwise leave its caller waiting for
      // ever.
      if (results.length < batch.length) throw new Error("a batch was answered with too few results");
      batch.forEach((one, index) => {
        expiry?.ended(one);
        one.resolve(results[index] as Result);
      });
    } catch (thrown) {
      // A store that is away is away for every item; asking again would only make each wait for the
      // one before.
      const forAll = thrown instanceof AppError && thrown.status >= 500;
      if (forAll || batch.length === 1) {
        for (const one of batch) {
          expiry?.ended(one);
          one.reject(thrown);
        }
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await settle(batch.slice(0, middle));
      await settle(batch.slice(middle));
    }
  };

  /** The oldest items that fit into one flush. */
  const take = (): readonly Waiting<Item, Result>[] => {
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
    return batch;
  };

  /** Whether a flush could not take more. */
  const isFull = (): boolean => waiting.length >= limits.items || (bytes !== undefined && waitingBytes >= bytes.flush);

  const holdBack = ({ clock, ms }: NonNullable<typeof gather>, until: number): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        heldBack = undefined;
        cancel();
        resolve();
      };
      // What the event loop has received by then comes first: answering the last flush may have taken
      // all of the time. A flush of 64 senders held 39 events this way, and 33 without it.
      let cancel = clock.after(ms, () => {
        cancel = clock.after(0, end);
      });
      heldBack = { until, end };
    });

  const drain = async (): Promise<void> => {
    flushing += 1;
    while (waiting.length > 0) {
      const batch = take();
      if (gather !== undefined) flushedAt = gather.clock.monotonic();
      await settle(batch);
      if (gather === undefined || flushing > 1 || batch.length < gather.from || isFull()) continue;
      await holdBack(gather, batch.length + waiting.length);
    }
    flushing -= 1;
  };

  /** Begins one more flush for what waits: at once, or when the newest one turns out to be slow. */
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
      expiry?.began(one);
      waitingBytes += own;
      if (heldBack === undefined) flushMore();
      else if (waiting.length >= heldBack.until || isFull()) heldBack.end();
    });
};

/** Rejects what takes longer than it may. */
const createExpiry = <
  Item,
  One extends {
    readonly item: Item;
    readonly reject: (reason: unknown) => void;
    stopWaiting: (() => void) | undefined;
  },
>(
  { clock, ms, tooLate }: NonNullable<GroupLimits<Item>["patience"]>,
  gone: GroupLimits<Item>["gone"],
) => {
  const patience = runningTime(clock, ms);
  return {
    began: (one: One): void => {
      one.stopWaiting = patience.after(() => {
        gone?.(one.item);
        one.reject(tooLate());
      });
    },
    ended: (one: One): void => one.stopWaiting?.(),
  };
};
