import type { Dialect } from "./dialect.ts";
import type { IdSequence, IdSource, Session, Sessions } from "./session.ts";
import { TakenNumber } from "./translate-error.ts";

/** Numbers reserved at once. */
const blockSizes: Readonly<Record<IdSequence, number>> = {
  event: 10_000,
  job: 10_000,
  feed: 1,
};

/** The largest stored number of each sequence. */
const largest: Readonly<Record<IdSequence, string>> = {
  event: "SELECT MAX(id) AS number FROM inbox_event",
  job: "SELECT MAX(id) AS number FROM job",
  feed: "SELECT MAX(place) AS number FROM feed_entry",
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
 *
 * A database may go back in time under this process: after a failover that lost commits, or a
 * restore. Reservations are then lost, too, and another process gets the same numbers. This is
 * noticed when a reservation begins below the end of a block that was held here, or when a number
 * turns out to be taken. Then all blocks are dropped, and the next reservation first raises each
 * sequence above the largest number that is stored.
 */
export const idBlocks = (dialect: Pick<Dialect, "reserve" | "forUpdate">, write: Sessions["write"]) => {
  const blocks = new Map<IdSequence, Block>();
  /** The end of the last block that was reserved here. */
  const ends = new Map<IdSequence, number>();
  const short = new Set<IdSequence>();
  let isDoubted = false;
  let drops = 0;
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

  const doubt = (): void => {
    for (const sequence of blocks.keys()) short.add(sequence);
    blocks.clear();
    isDoubted = true;
    drops += 1;
  };

  /** Locks the rows of the sequences, so that nobody else reserves before the commit. */
  const raise = async (session: Session, sequences: readonly IdSequence[]): Promise<void> => {
    const names = sequences.toSorted();
    const known = await session.rows<{ name: IdSequence; next: number }>(
      `SELECT name, next FROM id_block WHERE name IN (${names.map(() => "?").join(", ")}) ORDER BY name${dialect.forUpdate}`,
      names,
    );
    for (const { name, next } of known) {
      const [row] = await session.rows<{ number: number | null }>(largest[name]);
      const free = Math.max(Number(row?.number ?? 0) + 1, next);
      if (free > next) await session.run("UPDATE id_block SET next = ? WHERE name = ?", [free, name]);
    }
  };

  /** Reserves numbers of sequences, each for at least one. @throws TakenNumber after a step back. */
  const reserve = async (
    session: Session,
    wanted: ReadonlyMap<IdSequence, number>,
  ): Promise<ReadonlyMap<IdSequence, number>> => {
    if (isDoubted) await raise(session, [...wanted.keys()]);
    const firsts = new Map<IdSequence, number>();
    for (const [sequence, count] of wanted) {
      const first = await dialect.reserve(session, sequence, count);
      if (!isDoubted && first < (ends.get(sequence) ?? 0)) {
        throw new TakenNumber(`numbers of the sequence "${sequence}" that this process holds are free again`);
      }
      firsts.set(sequence, first);
    }
    return firsts;
  };

  const fetchBlocks = async (sequence: IdSequence, count: number): Promise<void> => {
    const from = drops;
    // Whatever was held is reserved again at once, under the same locks.
    const sequences = isDoubted ? new Set([...ends.keys(), sequence]) : [sequence];
    const wanted = new Map<IdSequence, number>();
    for (const each of sequences) wanted.set(each, Math.max(blockSizes[each], each === sequence ? count : 1));
    const firsts = await write((session) => reserve(session, wanted));
    // They may be from before a step back that was noticed meanwhile.
    if (from !== drops) return;
    isDoubted = false;
    for (const [each, first] of firsts) {
      const end = first + (wanted.get(each) ?? 0);
      blocks.set(each, { next: first, end });
      ends.set(each, end);
      short.delete(each);
    }
  };

  /** A step back that is noticed here costs the caller one more reservation, and no failure. */
  const fetchBlock = async (sequence: IdSequence, count: number): Promise<void> => {
    try {
      await fetchBlocks(sequence, count);
    } catch (thrown) {
      if (!(thrown instanceof TakenNumber)) throw thrown;
      await fetchBlocks(sequence, count);
    }
  };

  /** One at a time, so that a burst of callers reserves one block, not one each. */
  const afterTheLast = <Result>(action: () => Promise<Result>): Promise<Result> => {
    const result = last.then(action, action);
    last = result;
    return result;
  };

  const takeWithin = async (session: Session, sequence: IdSequence, count: number): Promise<number> =>
    takeNow(sequence, count) ??
    (await reserve(session, new Map([[sequence, count]]))).get(sequence) ??
    Promise.reject(new TypeError(`nothing was reserved of ${sequence}`));

  /** Drops all numbers if those that this process holds are free again in the database. */
  const look = async (session: Session): Promise<void> => {
    const rows = await session.rows<{ name: string; next: number }>("SELECT name, next FROM id_block");
    const went = rows.some(({ name, next }) => next < (isDoubted ? 0 : (ends.get(name as IdSequence) ?? 0)));
    if (went) doubt();
  };

  return {
    takeWithin,
    /** The numbers for the inside of one transaction. */
    inside: (session: Session): IdSource => ({
      take: (sequence, count) => takeWithin(session, sequence, count),
      takeWithin,
      doubt,
      look,
      drops: () => drops,
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
    doubt,
    drops: () => drops,
    look,
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

/** Numbers were dropped between their preparation and their use. */
class StaleNumbers extends Error {
  override readonly name = "StaleNumbers";
}

const preparations = 3;

/**
 * Takes numbers and writes with them. `requireFresh` is called first in the transaction: if its
 * connection has turned out to lead to a server that went back in time, everything is prepared again
 * with new numbers.
 */
export const withFreshNumbers = async <Result>(
  ids: Pick<IdSource, "drops">,
  run: (requireFresh: () => void) => Promise<Result>,
  tries = preparations,
): Promise<Result> => {
  const drops = ids.drops();
  try {
    return await run(() => {
      if (ids.drops() !== drops) throw new StaleNumbers("the numbers were dropped");
    });
  } catch (thrown) {
    if (!(thrown instanceof StaleNumbers) || tries <= 1) throw thrown;
    return withFreshNumbers(ids, run, tries - 1);
  }
};

/** Runs a write. If it finds a number taken, the blocks are dropped, so that the next try gets others. */
export const noticingTaken = async <Result>(
  ids: Pick<IdSource, "doubt">,
  run: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof TakenNumber) ids.doubt();
    throw thrown;
  }
};
