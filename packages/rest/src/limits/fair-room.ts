import { AppError, type Clock } from "@postern/core";

/** The caller that takes room. */
export interface RoomCaller {
  readonly network: string;
  readonly user: string;
}

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

/** The bytes that a caller has taken count half as much after this time. */
const halfLifeMs = 1_000;
/**
 * The most callers that are remembered. Beyond, all are forgotten, which only costs some fairness.
 */
const mostRemembered = 10_000;

/** Remembers how much callers took recently. */
const createTaken = (nowMs: () => number) => {
  const known = new Map<string, { bytes: number; atMs: number }>();
  const of = (key: string): number => {
    const entry = known.get(key);
    return entry === undefined ? 0 : entry.bytes * 0.5 ** ((nowMs() - entry.atMs) / halfLifeMs);
  };
  return {
    of,
    note: (key: string, bytes: number) => {
      if (known.size >= mostRemembered && !known.has(key)) known.clear();
      known.set(key, { bytes: of(key) + bytes, atMs: nowMs() });
    },
  };
};

/** The rounds in which requests begin if they must leave time for others; see `rests`. */
interface Rounds {
  /** Whether a request may begin now. */
  readonly isOpen: boolean;
  /** Call it when requests have begun. No other may join their round any more. */
  begun(): void;
  /** Call it when all that had begun are done. It calls `next` when others may begin. */
  ended(next: () => void): void;
}

const noRounds: Rounds = { isOpen: true, begun: () => undefined, ended: () => undefined };

const createRounds = (mostRestMs: number, clock: Pick<Clock, "monotonic" | "after">): Rounds => {
  let isOpen = true;
  let begunMs = 0;
  return {
    get isOpen() {
      return isOpen;
    },
    begun: () => {
      isOpen = false;
      begunMs = clock.monotonic();
    },
    ended: (next) => {
      const restMs = Math.min(clock.monotonic() - begunMs, mostRestMs);
      const open = (): void => {
        isOpen = true;
        next();
      };
      if (restMs <= 0) open();
      else clock.after(restMs, open);
    },
  };
};

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

/** The bytes that are held, in all and by each network. */
const createHeld = ({ bytes: all }: FairRoomLimit, most: number, clock: Pick<Clock, "monotonic">) => {
  const perNetwork = Math.max(most, Math.floor(all / 2));
  const byNetwork = new Map<string, number>();
  const taken = createTaken(() => clock.monotonic());
  let held = 0;
  const isWithinShare = ({ network }: RoomCaller, bytes: number): boolean =>
    (byNetwork.get(network) ?? 0) + bytes <= perNetwork;
  return {
    isEmpty: (): boolean => held === 0,
    /** Whether the caller's network may hold this many bytes more. */
    isWithinShare,
    fits: (caller: RoomCaller, bytes: number): boolean => held + bytes <= all && isWithinShare(caller, bytes),
    /** Whether `one` recently took less than `other`. */
    tookLess: (one: RoomCaller, other: RoomCaller): boolean => {
      const difference = taken.of(one.network) - taken.of(other.network);
      return difference === 0 ? taken.of(one.user) < taken.of(other.user) : difference < 0;
    },
    add: ({ network, user }: RoomCaller, bytes: number): void => {
      held += bytes;
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + bytes);
      taken.note(network, bytes);
      taken.note(user, bytes);
    },
    remove: ({ network }: RoomCaller, bytes: number): void => {
      held -= bytes;
      const own = (byNetwork.get(network) ?? 0) - bytes;
      if (own > 0) byNetwork.set(network, own);
      else byNetwork.delete(network);
    },
  };
};

export const createFairRoom = (limit: FairRoomLimit, clock: Pick<Clock, "monotonic" | "after">): FairRoom => {
  const most = Math.min(limit.most, limit.bytes);
  const rounds = limit.rests === true ? createRounds(limit.waitMs / 4, clock) : noRounds;
  const held = createHeld(limit, most, clock);
  let waiting: readonly Waiting[] = [];

  const mayBegin = (caller: RoomCaller, bytes: number): boolean => rounds.isOpen && held.fits(caller, bytes);
  const nextOf = (): Waiting | undefined => {
    let next: Waiting | undefined;
    for (const one of waiting) {
      if (!held.isWithinShare(one.caller, one.bytes)) continue;
      if (next === undefined || held.tookLess(one.caller, next.caller)) next = one;
    }
    return next;
  };
  /**
   * A request that needs less room may not overtake the first one, or the first one might never
   * begin.
   */
  const beginNext = (): void => {
    let hasBegun = false;
    for (let next = nextOf(); next !== undefined && mayBegin(next.caller, next.bytes); next = nextOf()) {
      const begun = next;
      waiting = waiting.filter((one) => one !== begun);
      held.add(begun.caller, begun.bytes);
      begun.begin();
      hasBegun = true;
    }
    if (hasBegun) rounds.begun();
  };
  const takeFree = (caller: RoomCaller, bytes: number): boolean => {
    if (waiting.length > 0 || !mayBegin(caller, bytes)) return false;
    held.add(caller, bytes);
    rounds.begun();
    return true;
  };

  const leave = (one: Waiting): void => {
    waiting = waiting.filter((other) => other !== one);
    one.refuse();
  };
  /**
   * Makes room in the line. @throws AppError `overloaded` if the line is full and no network has
   * more requests in it than the caller's would have.
   */
  const makePlace = ({ network }: RoomCaller): void => {
    if (waiting.length < limit.waiting) return;
    const longest = mostWaiting(waiting);
    const own = waiting.filter(({ caller }) => caller.network === network).length;
    const last = waiting.findLast(({ caller }) => caller.network === longest.network);
    if (last === undefined || own + 1 >= longest.times) throw noRoom();
    leave(last);
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
        leave(one);
        // The next request may need less and fit.
        beginNext();
      });
      waiting = [...waiting, one];
    });

  return {
    take: async (caller, wanted) => {
      const bytes = Math.min(wanted, most);
      if (!takeFree(caller, bytes)) {
        makePlace(caller);
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
