import { AppError } from "../errors/index.ts";
import type { Clock } from "../ports/clock.ts";

export interface BatchLimits<Item> {
  /** The most items one flush takes. */
  readonly items: number;
  /** The most items that may wait; further ones are refused. */
  readonly waiting: number;
  /** How many flushes may be under way at once; 1 unless told. */
  readonly flushes?: number;
  /** Bounds in bytes beside those in items; an item that is larger than `flush` goes alone. */
  readonly bytes?: { readonly of: (item: Item) => number; readonly flush: number; readonly waiting: number };
  /** How long anybody waits for a result; then the promise rejects with `tooLate`, while the item goes its way. For ever unless told. */
  readonly patience?: { readonly clock: Clock; readonly ms: number; readonly tooLate: () => Error };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Natural batching: when no flush is under way, flush at once what is there; while one is under way, collect. No timer, so a lone item is not
 * delayed and a burst shares its commits. A batch that fails is halved until the bad item stands alone, so that it does not fail its neighbours; not
 * when the store itself is away (an `AppError` of status 500 or more), which then fails the whole batch at once.
 *
 * The returned function resolves with the item's own result. @throws AppError `overloaded` when too much is waiting.
 */
export const naturalBatch = <Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  limits: BatchLimits<Item>,
): ((item: Item) => Promise<Result>) => {
  const { flushes = 1, bytes, patience } = limits;
  const expiry = patience === undefined ? undefined : createExpiry<Waiting<Item, Result>>(patience);
  let waiting: Waiting<Item, Result>[] = [];
  let waitingBytes = 0;
  let flushing = 0;

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await flush(batch.map(({ item }) => item));
      // A flush answers each item; a missing answer would otherwise leave its caller waiting for ever.
      if (results.length < batch.length) throw new Error("a batch was answered with too few results");
      batch.forEach((one, index) => {
        expiry?.ended(one);
        one.resolve(results[index] as Result);
      });
    } catch (thrown) {
      // A store that is away is away for every item; asking again would only make each wait for the one before.
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

  const drain = async (): Promise<void> => {
    flushing += 1;
    while (waiting.length > 0) await settle(take());
    flushing -= 1;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const own = bytes?.of(item) ?? 0;
      const full = waiting.length >= limits.waiting || (bytes !== undefined && waitingBytes + own > bytes.waiting);
      if (full) {
        reject(new AppError("overloaded", { headers: { "retry-after": "1" } }));
        return;
      }
      const one = { item, bytes: own, resolve, reject };
      waiting.push(one);
      expiry?.began(one);
      waitingBytes += own;
      if (flushing < flushes) void drain();
    });
};

/** Rejects what takes longer than it may: all may take equally long, so one timer serves them all. */
const createExpiry = <One extends { readonly reject: (reason: unknown) => void }>({
  clock,
  ms,
  tooLate,
}: NonNullable<BatchLimits<never>["patience"]>) => {
  /** When each began, the oldest first. */
  const open = new Map<One, number>();
  let cancel: (() => void) | undefined;

  const check = (): void => {
    cancel = undefined;
    const now = clock.monotonic();
    for (const [one, began] of open) {
      const left = began + ms - now;
      if (left > 0) {
        cancel = clock.after(left, check);
        return;
      }
      open.delete(one);
      one.reject(tooLate());
    }
  };

  return {
    began: (one: One): void => {
      open.set(one, clock.monotonic());
      cancel ??= clock.after(ms, check);
    },
    ended: (one: One): void => {
      open.delete(one);
      if (open.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
};
