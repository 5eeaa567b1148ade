import { AppError, type Clock } from "@postern/core";

/** Who takes room. */
export interface RoomCaller {
  readonly network: string;
  readonly user: string;
}

/**
 * A number of bytes that requests take and give back. A request that does not fit waits. A network
 * has half of the bytes at most. Where several wait, the one whose network took the least of late
 * goes first and, in a network, the one whose user did.
 */
export interface FairRoom {
  /**
   * Takes so many bytes, or all there are if that is less; resolves with the bytes taken.
   * @throws AppError `overloaded` when too many wait already, or when it has waited for too long.
   */
  take(caller: RoomCaller, bytes: number): Promise<number>;
  release(caller: RoomCaller, bytes: number): void;
}

export interface FairRoomLimit {
  readonly bytes: number;
  /** The most that one request takes: a network may always take as much. */
  readonly most: number;
  /** How many requests wait, at most. */
  readonly waiting: number;
  readonly waitMs: number;
}

interface Waiting {
  readonly caller: RoomCaller;
  readonly bytes: number;
  begin(): void;
}

/** What someone has taken counts half as much after this time. */
const halfLifeMs = 1_000;
/** Callers that are remembered. Beyond it all are forgotten, which only costs some fairness. */
const mostRemembered = 10_000;

/** How much callers took of late. */
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

export const createFairRoom = (limit: FairRoomLimit, clock: Pick<Clock, "monotonic" | "after">): FairRoom => {
  const most = Math.min(limit.most, limit.bytes);
  const perNetwork = Math.max(most, Math.floor(limit.bytes / 2));
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
    held + bytes <= limit.bytes && (byNetwork.get(network) ?? 0) + bytes <= perNetwork;

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
  /** Nobody gets in front of the next one because they need less: it would never begin. */
  const beginNext = (): void => {
    for (let next = nextOf(); next !== undefined && fits(next.caller, next.bytes); next = nextOf()) {
      const begun = next;
      waiting = waiting.filter((one) => one !== begun);
      hold(begun.caller, begun.bytes);
      begun.begin();
    }
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
      };
      const cancel = clock.after(limit.waitMs, () => {
        waiting = waiting.filter((other) => other !== one);
        reject(noRoom());
        // The next one may need less.
        beginNext();
      });
      waiting = [...waiting, one];
    });

  return {
    take: async (caller, wanted) => {
      const bytes = Math.min(wanted, most);
      if (waiting.length === 0 && fits(caller, bytes)) hold(caller, bytes);
      else if (waiting.length >= limit.waiting) throw noRoom();
      else {
        const begun = waitForRoom(caller, bytes);
        beginNext();
        await begun;
      }
      return bytes;
    },
    release: ({ network }, bytes) => {
      if (bytes === 0) return;
      held -= bytes;
      const own = (byNetwork.get(network) ?? 0) - bytes;
      if (own > 0) byNetwork.set(network, own);
      else byNetwork.delete(network);
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
