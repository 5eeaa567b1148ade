import type { Clock } from "@postern/core/parts";

/** The caller that takes room. */
export interface RoomCaller {
  readonly network: string;
  readonly user: string;
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

/** The bytes that are held, in all and by each network. */
export type HeldBytes = ReturnType<typeof createHeldBytes>;

/** A network holds at most half of `all`, and at least `most`. */
export const createHeldBytes = (all: number, most: number, clock: Pick<Clock, "monotonic">) => {
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
