import { createFairQueue } from "./fair-queue.ts";
import type { HttpSettings } from "./options.ts";
import { createShares } from "./shares.ts";
import { createWorkOfLate } from "./work-of-late.ts";

/** Requests that have come, and have no slot and do not wait for one yet. */
export interface WaitingRequests {
  readonly ofAll: number;
  readonly ofNetwork: number;
  /** The networks that they are of. */
  readonly networks: number;
}

/**
 * The slots that requests are answered in: so many in all, and a share for each network. A request
 * that finds none waits, if that will not take long. To let it wait for some milliseconds costs
 * nothing. To refuse it costs a good part of an answer, and its caller comes again. Networks that
 * wait take turns.
 */
export interface Slots {
  /**
   * Whether a request would have to wait for longer than it may, counting those that wait already.
   * How long it will wait is told from how many requests were answered of late; nobody waits
   * before any was.
   */
  areTaken(network: string, waiting: WaitingRequests): boolean;
  /** Whether a request that comes after those in `waiting` would wait for no longer than it may. */
  isSoon(network: string, waiting: WaitingRequests): boolean;
  /** Whether any network could find them taken. `waiting` requests have come, of all networks. */
  areFew(waiting: number): boolean;
  /** Takes a slot: `undefined` when one was free, else resolves with it. Give it back by `release`. */
  take(network: string): Promise<void> | undefined;
  release(network: string): void;
  /** The requests that hold a slot or wait for one. */
  readonly requests: number;
}

/**
 * The answers of the last quarter of a second or so tell how fast they are given now. Time without
 * any request does not count: it says nothing of how fast they would be.
 */
const halfLifeMs = 250;

export const createSlots = (
  {
    maxInFlight,
    maxInFlightPerAddress,
    maxSlotWaitMs,
  }: Pick<HttpSettings, "maxInFlight" | "maxInFlightPerAddress" | "maxSlotWaitMs">,
  now: () => number,
): Slots => {
  const slots = createShares({ total: maxInFlight, perAddress: maxInFlightPerAddress });
  const queue = createFairQueue<() => void>();
  /** Time with requests until `busySinceMs`, which is `undefined` while there is none. */
  let busyMs = 0;
  let busySinceMs: number | undefined;
  const busyNow = (): number => busyMs + (busySinceMs === undefined ? 0 : now() - busySinceMs);
  const answered = createWorkOfLate(busyNow, halfLifeMs);
  /**
   * A network holds fewer slots than this for each that is free. So several greedy networks leave
   * some to others, and one alone gets its share.
   */
  const perFreeSlot =
    maxInFlightPerAddress < maxInFlight
      ? maxInFlightPerAddress / (maxInFlight - maxInFlightPerAddress)
      : Number.POSITIVE_INFINITY;
  const hasSlot = (held: number, ofNetwork: number): boolean =>
    held < maxInFlight && ofNetwork < maxInFlightPerAddress && ofNetwork < (maxInFlight - held) * perFreeSlot;
  const isFree = (network: string): boolean => hasSlot(slots.held, slots.heldBy(network));

  /**
   * How long a request of a network will wait. Networks take turns, so one of them gets its part of
   * all answers, if it had no more of late. One that has all slots of its share gets the next only
   * when one of its own is free.
   */
  const waitMs = (network: string, { ofNetwork, networks }: WaitingRequests): number => {
    const before = ofNetwork + queue.waitingOf(network) + 1;
    const own = answered.perSecond(network);
    const hasItsShare = slots.heldBy(network) >= maxInFlightPerAddress;
    const part = hasItsShare ? 0 : answered.perSecond() / (Math.max(networks, queue.networks) + 1);
    return (before * 1000) / Math.max(own, part);
  };

  const isSoon = (network: string, waiting: WaitingRequests): boolean => waitMs(network, waiting) <= maxSlotWaitMs;

  return {
    areTaken: (network, waiting) =>
      !hasSlot(
        slots.held + queue.waiting + waiting.ofAll,
        slots.heldBy(network) + queue.waitingOf(network) + waiting.ofNetwork,
      ) && !isSoon(network, waiting),
    isSoon,
    areFew: (waiting) => {
      const all = slots.held + queue.waiting + waiting;
      return !hasSlot(all, all);
    },
    take: (network) => {
      busySinceMs ??= now();
      if (queue.waitingOf(network) === 0 && isFree(network)) {
        slots.take(network, 1);
        return undefined;
      }
      return new Promise((resolve) => queue.add(network, resolve));
    },
    release: (network) => {
      slots.release(network, 1);
      answered.note(network, 1);
      while (queue.waiting > 0) {
        const next = queue.next(isFree);
        if (next === undefined) break;
        slots.take(next.network, 1);
        next.item();
      }
      if (slots.held > 0) return;
      busyMs = busyNow();
      busySinceMs = undefined;
    },
    get requests() {
      return slots.held + queue.waiting;
    },
  };
};
