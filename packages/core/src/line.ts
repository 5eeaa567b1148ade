import { createFairQueue } from "./fair-queue.ts";
import type { Clock } from "./ports/clock.ts";
import { runningTime } from "./running-time.ts";

interface LineLimits {
  /** The most that is taken at once, by all keys together. */
  readonly most: number;
  /** The most that one key may have taken. Default: `most`. */
  readonly mostOfKey?: number;
  /** How many callers may wait. Default 0: a caller that finds no room is refused. */
  readonly waiting?: number;
  /** How many of them may have the same key. Default: `waiting`. */
  readonly waitingOfKey?: number;
  /** How long a caller may wait, in milliseconds in which the event loop ran. Default: as long as it takes. */
  readonly waitMs?: number;
  /**
   * A cost that lets the other keys go first once. A key that took ten times as much lets them go
   * first ten times, at most eight. Default: every cost counts the same.
   */
  readonly fairCost?: number;
  /** The error of a caller that may not wait, or has waited for too long. */
  readonly refusal: () => Error;
}

/** What a caller has taken. */
export interface Share {
  /** Gives a part back, so that so much is left. More than is taken changes nothing. */
  keep(cost: number): void;
  /** Gives everything back. A second call changes nothing. */
  release(): void;
}

/**
 * Bounds something that callers take and give back: requests at once, bytes of memory, threads. A
 * caller that finds no room waits in line. Keys, which are users or networks, take turns, so a key
 * whose callers wait in hundreds keeps nobody else waiting.
 */
export interface Line {
  /**
   * Takes `cost`. At once if there is room, otherwise when its turn has come. A cost beyond the bounds
   * is lowered to them. A caller whose first waiter does not fit keeps its turn: later callers that
   * need less do not overtake it, unless it waits for its own key only.
   * @throws the refusal, at once if too many wait and from the promise after `waitMs`.
   */
  take(key: string, cost?: number): Share | Promise<Share>;
  /** The same for a caller that does not wait; `undefined` if it would have to. */
  takeFree(key: string, cost?: number): Share | undefined;
  /** What is taken now. */
  readonly held: number;
  heldBy(key: string): number;
  /** How many callers wait. */
  readonly waiting: number;
}

interface Waiter {
  readonly cost: number;
  begin(share: Share): void;
}

/** The maps hold only keys that have taken something or wait, so the bounds bound them, too. */
export const createLine = (limits: LineLimits, clock: Pick<Clock, "monotonic" | "after">): Line => {
  const { most, waiting = 0, waitingOfKey = waiting, waitMs, fairCost, refusal } = limits;
  const mostOfKey = Math.min(limits.mostOfKey ?? most, most);
  const queue = createFairQueue<Waiter>();
  const byKey = new Map<string, number>();
  const patience = waitMs === undefined ? undefined : runningTime(clock, waitMs);
  let held = 0;
  let waiters = 0;
  /** Whether the caller whose turn it is waits for what other keys hold. Nobody overtakes it. */
  let isOwed = false;

  const heldBy = (key: string): number => byKey.get(key) ?? 0;

  const shareOf = (key: string, cost: number): Share => {
    let taken = cost;
    held += cost;
    byKey.set(key, (byKey.get(key) ?? 0) + cost);
    if (fairCost !== undefined) queue.charge(key, Math.floor(cost / fairCost));
    const keep = (left: number): void => {
      if (left >= taken) return;
      const own = (byKey.get(key) ?? 0) - (taken - left);
      held -= taken - left;
      taken = left;
      if (own > 0) byKey.set(key, own);
      else byKey.delete(key);
      if (waiters > 0) beginNext();
    };
    return { keep, release: () => keep(0) };
  };

  const mayBegin = (key: string, { cost }: Waiter): boolean => {
    if (isOwed || heldBy(key) + cost > mostOfKey) return false;
    isOwed = held + cost > most;
    return !isOwed;
  };

  const beginNext = (): void => {
    isOwed = false;
    for (let next = queue.next(mayBegin); next !== undefined; next = queue.next(mayBegin)) {
      waiters -= 1;
      next.item.begin(shareOf(next.network, next.item.cost));
    }
  };

  const takeFree = (key: string, cost = 1): Share | undefined => {
    const least = Math.min(cost, mostOfKey);
    const fits = held + least <= most && (byKey.get(key) ?? 0) + least <= mostOfKey;
    const mayGo = waiters === 0 || (!isOwed && queue.waitingOf(key) === 0);
    return fits && mayGo ? shareOf(key, least) : undefined;
  };

  const wait = (key: string, cost: number): Promise<Share> => {
    if (waiters >= waiting || queue.waitingOf(key) >= waitingOfKey) throw refusal();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        cost,
        begin: (share) => {
          stop?.();
          resolve(share);
        },
      };
      const stop = patience?.after(() => {
        queue.remove(key, waiter);
        waiters -= 1;
        reject(refusal());
        // The next caller may need less, and fit.
        beginNext();
      });
      queue.add(key, waiter);
      waiters += 1;
      if (held + cost > most && heldBy(key) + cost <= mostOfKey) isOwed = true;
    });
  };

  return {
    take: (key, cost = 1) => takeFree(key, cost) ?? wait(key, Math.min(cost, mostOfKey)),
    takeFree,
    get held() {
      return held;
    },
    heldBy,
    get waiting() {
      return waiters;
    },
  };
};
