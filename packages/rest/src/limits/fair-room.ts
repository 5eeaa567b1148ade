import { AppError } from "@postern/core";
import type { Clock } from "@postern/core/parts";
import { createHeldBytes, type HeldBytes, type RoomCaller } from "./held-bytes.ts";
import { createRounds, noRounds } from "./rounds.ts";

export type { RoomCaller };

/**
 * A number of bytes that requests take and give back. A request that does not fit waits. A network
 * holds at most half of the bytes. If several requests wait, the one whose network recently took
 * the least goes first; within a network, the one whose user recently took the least.
 */
export interface FairRoom {
  /**
   * Takes this many bytes, at most `most` of the limit. Resolves with the number of bytes taken.
   * @throws AppError `overloaded` when too many requests wait already, or when it has waited for too
   *   long.
   */
  take(caller: RoomCaller, bytes: number): Promise<number>;
  /** Takes this many bytes if they are free and no request waits. Returns whether it did. */
  takeFree(caller: RoomCaller, bytes: number): boolean;
  release(caller: RoomCaller, bytes: number): void;
}

export interface FairRoomLimit {
  readonly bytes: number;
  /** The most bytes that one request takes. A network may always take this much. */
  readonly most: number;
  /**
   * The most requests that wait. A further one takes the place of a request whose network has more
   * waiting. If there is none, it is refused.
   */
  readonly waiting: number;
  readonly waitMs: number;
  /**
   * True for work that keeps the one thread busy. Requests then begin in rounds. Those that fit
   * begin together. The next ones wait until all bytes are given back, and then for as long as the
   * round took (at most a quarter of `waitMs`). So at least half of the time is left for other
   * requests. Default: each begins as soon as it fits.
   */
  readonly rests?: boolean;
}

interface Waiting {
  readonly caller: RoomCaller;
  readonly bytes: number;
  begin(): void;
  refuse(): void;
}

/** The network with the most waiting requests. */
const mostWaiting = (waiting: readonly Waiting[]): { readonly network: string; readonly times: number } => {
  const counts = new Map<string, number>();
  let most = { network: "", times: 0 };
  for (const { caller } of waiting) {
    const times = (counts.get(caller.network) ?? 0) + 1;
    counts.set(caller.network, times);
    if (times > most.times) most = { network: caller.network, times };
  }
  return most;
};

/** The requests that wait for room, oldest first. */
const createLine = (most: number) => {
  let waiting: readonly Waiting[] = [];
  const remove = (one: Waiting): void => {
    waiting = waiting.filter((other) => other !== one);
  };
  const refuse = (one: Waiting): void => {
    remove(one);
    one.refuse();
  };
  return {
    isEmpty: (): boolean => waiting.length === 0,
    add: (one: Waiting): void => {
      waiting = [...waiting, one];
    },
    remove,
    refuse,
    /** Of the requests whose networks may hold more, the one whose caller took the least. */
    next: ({ isWithinShare, tookLess }: HeldBytes): Waiting | undefined => {
      let next: Waiting | undefined;
      for (const one of waiting) {
        if (!isWithinShare(one.caller, one.bytes)) continue;
        if (next === undefined || tookLess(one.caller, next.caller)) next = one;
      }
      return next;
    },
    /**
     * Makes room in the line. @throws AppError `overloaded` if the line is full and no network has
     * more requests in it than the caller's would have.
     */
    makePlace: ({ network }: RoomCaller): void => {
      if (waiting.length < most) return;
      const longest = mostWaiting(waiting);
      const own = waiting.filter(({ caller }) => caller.network === network).length;
      const last = waiting.findLast(({ caller }) => caller.network === longest.network);
      if (last === undefined || own + 1 >= longest.times) throw noRoom();
      refuse(last);
    },
  };
};

export const createFairRoom = (limit: FairRoomLimit, clock: Pick<Clock, "monotonic" | "after">): FairRoom => {
  const most = Math.min(limit.most, limit.bytes);
  const rounds = limit.rests === true ? createRounds(limit.waitMs / 4, clock) : noRounds;
  const held = createHeldBytes(limit.bytes, most, clock);
  const line = createLine(limit.waiting);

  const mayBegin = (caller: RoomCaller, bytes: number): boolean => rounds.isOpen && held.fits(caller, bytes);
  /**
   * A request that needs less room may not overtake the first one, or the first one might never
   * begin.
   */
  const beginNext = (): void => {
    let hasBegun = false;
    for (let next = line.next(held); next !== undefined && mayBegin(next.caller, next.bytes); next = line.next(held)) {
      line.remove(next);
      held.add(next.caller, next.bytes);
      next.begin();
      hasBegun = true;
    }
    if (hasBegun) rounds.begun();
  };
  const takeFree = (caller: RoomCaller, bytes: number): boolean => {
    if (!line.isEmpty() || !mayBegin(caller, bytes)) return false;
    held.add(caller, bytes);
    rounds.begun();
    return true;
  };
  const waitForRoom = (caller: RoomCaller, bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const one: Waiting = {
        caller,
        bytes,
        begin: () => {
          cancel();
          resolve();
        },
        refuse: () => {
          cancel();
          reject(noRoom());
        },
      };
      const cancel = clock.after(limit.waitMs, () => {
        line.refuse(one);
        // The next request may need less and fit.
        beginNext();
      });
      line.add(one);
    });

  return {
    take: async (caller, wanted) => {
      const bytes = Math.min(wanted, most);
      if (!takeFree(caller, bytes)) {
        line.makePlace(caller);
        const begun = waitForRoom(caller, bytes);
        beginNext();
        await begun;
      }
      return bytes;
    },
    takeFree,
    release: (caller, bytes) => {
      if (bytes === 0) return;
      held.remove(caller, bytes);
      if (held.isEmpty()) rounds.ended(beginNext);
      beginNext();
    },
  };
};

const noRoom = (): AppError =>
  new AppError("overloaded", {
    detail:
      "Too many large answers are being made at the moment; send it again in a second, or ask for a shorter page.",
    headers: { "retry-after": "1" },
  });
