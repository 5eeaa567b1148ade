import { AppError, type Clock } from "@postern/core";

/** Who takes room. */
export interface RoomCaller {
  readonly network: string;
  readonly user: string;
}

/**
 * A number of bytes that requests take and give back. A request that does not fit waits. A network
 * has half of the bytes at most. If several wait, the request whose network recently took the least
 * goes first; within a network, the request whose user recently took the least.
 */
export interface FairRoom {
  /**
   * Takes this many bytes, or all there are if that is less; resolves with the bytes taken.
   * @throws AppError `overloaded` when too many wait already, or when it has waited for too long.
   */
  take(caller: RoomCaller, bytes: number): Promise<number>;
  /** Takes this many bytes if they are free and nobody waits for them; returns whether it did. */
  takeFree(caller: RoomCaller, bytes: number): boolean;
  release(caller: RoomCaller, bytes: number): void;
}

export interface FairRoomLimit {
  readonly bytes: number;
  /** The most that one request takes: a network may always take as much. */
  readonly most: number;
  /**
   * How many requests wait, at most. A further one takes the place of a request whose network has
   * more waiting. If there is none, it is refused.
   */
  readonly waiting: number;
  readonly waitMs: number;
  /**
   * True for work that keeps the one thread busy. Requests then begin in rounds: those that fit
   * begin together, and the next ones wait until all have given back what they took and, after
   * that, for as long as the round took (a quarter of `waitMs` at most). So at least half of the
   * time is left for other requests. Default: each begins as soon as it fits.
   */
  readonly rests?: boolean;
}

interface Waiting {
  readonly caller: RoomCaller;
  readonly bytes: number;
  begin(): void;
  refuse(): void;
}

/** What someone has taken counts half as much after this time. */
const halfLifeMs = 1_000;
/**
 * How many callers are remembered. Beyond this number all are forgotten, which only costs some
 * fairness.
 */
const mostRemembered = 10_000;

/** How much callers took recently. */
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

/** Keeps requests apart whose work must leave time for others; see `rests` of `FairRoomLimit`. */
interface Rounds {
  /** Whether a request may begin now. */
  readonly isOpen: boolean;
  /** A request has begun: no other may join its round any more. */
  begun(): void;
  /** Everything that had begun is done. Calls `next` when others may begin. */
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

/** The network of which most requests wait. */
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

export const createFairRoom = (limit: FairRoomLimit, clock: Pick<Clock, "monotonic" | "after">): FairRoom => {
  const most = Math.min(limit.most, limit.bytes);
  const perNetwork = Math.max(most, Math.floor(limit.bytes / 2));
  const rounds = limit.rests === true ? createRounds(limit.waitMs / 4, clock) : noRounds;
  const byNetwork = new Map<string, number>();
  const taken = createTaken(() => clock.monotonic());
  let waiting: readonly Waiting[] = [];
  let held = 0;

  const hold = ({ network, user }: RoomCaller, bytes: number): void => {
    held += bytes;
    byNetwork.set(network, (byNetwork.get(network) ?? 0) + bytes);
    taken.note(network, bytes);
    taken.note(user, bytes);
  };
  const fits = ({ network }: RoomCaller, bytes: number): boolean =>
    rounds.isOpen && held + bytes <= limit.bytes && (byNetwork.get(network) ?? 0) + bytes <= perNetwork;

  const precedes = (one: RoomCaller, other: RoomCaller): boolean => {
    const difference = taken.of(one.network) - taken.of(other.network);
    return difference === 0 ? taken.of(one.user) < taken.of(other.user) : difference < 0;
  };
  const nextOf = (): Waiting | undefined => {
    let next: Waiting | undefined;
    for (const one of waiting) {
      const ownShareIsUsedUp = (byNetwork.get(one.caller.network) ?? 0) + one.bytes > perNetwork;
      if (!ownShareIsUsedUp && (next === undefined || precedes(one.caller, next.caller))) next = one;
    }
    return next;
  };
  /**
   * A request that needs less room may not overtake the first one, or the first one might never
   * begin.
   */
  const beginNext = (): void => {
    let hasBegun = false;
    for (let next = nextOf(); next !== undefined && fits(next.caller, next.bytes); next = nextOf()) {
      const begun = next;
      waiting = waiting.filter((one) => one !== begun);
      hold(begun.caller, begun.bytes);
      begun.begin();
      hasBegun = true;
    }
    if (hasBegun) rounds.begun();
  };
  const takeFree = (caller: RoomCaller, bytes: number): boolean => {
    if (waiting.length > 0 || !fits(caller, bytes)) return false;
    hold(caller, bytes);
    rounds.begun();
    return true;
  };

  const leave = (one: Waiting): void => {
    waiting = waiting.filter((other) => other !== one);
    one.refuse();
  };
  /**
   * Makes room in the line. @throws AppError `overloaded` when the caller's network has most of it.
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
    release: ({ network }, bytes) => {
      if (bytes === 0) return;
      held -= bytes;
      const own = (byNetwork.get(network) ?? 0) - bytes;
      if (own > 0) byNetwork.set(network, own);
      else byNetwork.delete(network);
      if (held === 0) rounds.ended(beginNext);
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
