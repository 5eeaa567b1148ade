import { AppError } from "../errors/index.ts";

export interface BatchLimits {
  /** The most items one flush takes. */
  readonly items: number;
  /** The most items that may wait; further ones are refused. */
  readonly waiting: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Natural batching: when no flush is under way, flush at once what is there; while one is under way, collect. No timer, so a lone item is not
 * delayed and a burst shares its commits. A batch that fails is tried once more item by item, so that one bad item does not fail its neighbours; not
 * when the store itself is away (an `AppError` of status 500 or more), which then fails the whole batch at once.
 *
 * The returned function resolves with the item's own result. @throws AppError `overloaded` when too many are waiting.
 */
export const naturalBatch = <Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  limits: BatchLimits,
): ((item: Item) => Promise<Result>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let flushing = false;

  const settle = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await flush(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) {
        // A flush answers each item; a missing answer would otherwise leave its caller waiting for ever.
        if (index >= results.length) throw new Error("a batch was answered with too few results");
        resolve(results[index] as Result);
      }
    } catch (thrown) {
      // A store that is away is away for every item; asking again one by one would only make each wait for the one before.
      const forAll = thrown instanceof AppError && thrown.status >= 500;
      if (forAll || batch.length === 1) for (const { reject } of batch) reject(thrown);
      else for (const single of batch) await settle([single]);
    }
  };

  const drain = async (): Promise<void> => {
    flushing = true;
    while (waiting.length > 0) await settle(waiting.splice(0, limits.items));
    flushing = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= limits.waiting) {
        reject(new AppError("overloaded", { headers: { "retry-after": "1" } }));
        return;
      }
      waiting.push({ item, resolve, reject });
      if (!flushing) void drain();
    });
};
