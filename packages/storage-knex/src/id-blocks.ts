import type { Dialect } from "./dialect.ts";
import type { IdSequence, IdSource, Session, Sessions } from "./session.ts";

/** Numbers reserved at once. Runner numbers are few and go out one by one. */
const blockSizes: Readonly<Record<IdSequence, number>> = {
  event: 10_000,
  job: 10_000,
  lease: 1000,
  runner: 1,
  feed: 1,
};

interface Block {
  next: number;
  end: number;
}

/**
 * Hands out numbers from blocks that are reserved in the database in a transaction of their own: a
 * number that a rolled-back transaction used is lost, never given out twice. If a transaction finds
 * the block used up, it reserves exactly the numbers that it needs as a part of itself, and no
 * process keeps any of them.
 */
export const idBlocks = (dialect: Pick<Dialect, "reserve">, write: Sessions["write"]) => {
  const blocks = new Map<IdSequence, Block>();
  const short = new Set<IdSequence>();
  let last: Promise<unknown> = Promise.resolve();

  const takeNow = (sequence: IdSequence, count: number): number | undefined => {
    const block = blocks.get(sequence);
    if (block === undefined || block.end - block.next < count) {
      short.add(sequence);
      return undefined;
    }
    const first = block.next;
    block.next += count;
    return first;
  };

  const fetchBlock = async (sequence: IdSequence, count: number): Promise<void> => {
    const size = Math.max(blockSizes[sequence], count);
    const first = await write((session) => dialect.reserve(session, sequence, size));
    blocks.set(sequence, { next: first, end: first + size });
    short.delete(sequence);
  };

  /** One at a time, so that a burst of callers reserves one block, not one each. */
  const afterTheLast = <Result>(action: () => Promise<Result>): Promise<Result> => {
    const result = last.then(action, action);
    last = result;
    return result;
  };

  const takeWithin = async (session: Session, sequence: IdSequence, count: number): Promise<number> =>
    takeNow(sequence, count) ?? dialect.reserve(session, sequence, count);

  return {
    takeWithin,
    /** The numbers for the inside of one transaction. */
    inside: (session: Session): IdSource => ({
      take: (sequence, count) => takeWithin(session, sequence, count),
      takeWithin,
    }),
    take: async (sequence: IdSequence, count: number): Promise<number> =>
      takeNow(sequence, count) ??
      afterTheLast(async () => {
        for (;;) {
          const first = takeNow(sequence, count);
          if (first !== undefined) return first;
          await fetchBlock(sequence, count);
        }
      }),
    /**
     * Reserves new blocks after `takeWithin` found the old one used up. `undefined` if there is nothing
     * to wait for.
     */
    refill: (): Promise<void> | undefined =>
      short.size === 0
        ? undefined
        : afterTheLast(async () => {
            for (const sequence of [...short]) await fetchBlock(sequence, 1);
          }),
  };
};

export type IdBlocks = ReturnType<typeof idBlocks>;
