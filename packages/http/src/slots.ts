import { createFairQueue } from "@postern/core/parts";
import type { HttpSettings } from "./options.ts";
import { createShares } from "./shares.ts";
import { createWorkOfLate } from "./work-of-late.ts";

/** Requests that have come but neither hold a slot nor wait in the queue for one yet. */
export interface WaitingRequests {
  readonly ofAll: number;
  readonly ofNetwork: number;
  /** How many networks they come from. */
  readonly networks: number;
}

/**
 * The slots in which requests are answered: a total number, and a share of it for each network. A
 * request that finds no free slot waits, if that will not take long. To wait for some milliseconds
 * costs nothing. A refusal costs a good part of an answer, and its caller tries again. Networks
 * that wait take turns.
 */
export interface Slots {
  /**
   * Whether a request would have to wait for longer than it may, behind those that wait already.
   * The recent rate of answers tells how long it will wait. Before the first answer, no request
   * waits.
   */
  areTaken(network: string, waiting: WaitingRequests): boolean;
  /** Whether a request that comes after those in `waiting` would wait for no longer than it may. */
  isSoon(network: string, waiting: WaitingRequests): boolean;
  /**
   * Whether any network could find its slots taken. `waiting` is the number of requests of all
   * networks that have come without a slot.
   */
  areFew(waiting: number): boolean;
  /**
   * Takes a slot. `undefined` if one was free; otherwise a promise that resolves when the slot is
   * taken. Give it back with `release`.
   */
  take(network: string): Promise<void> | undefined;
  release(network: string): void;
  /** How many requests hold a slot or wait for one. */
  readonly requests: number;
}

/**
 * The answers of about the last quarter of a second tell the present rate. Time without any request
 * does not count, because it says nothing about the rate.
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
  /**
   * The time during which there were requests, until `busySinceMs`. That is `undefined` while there
   * are none.
   */
  let busyMs = 0;
  let busySinceMs: number | undefined;
  const busyNow = (): number => busyMs + (busySinceMs === undefined ? 0 : now() - busySinceMs);
  const answered = createWorkOfLate(busyNow, halfLifeMs);
  /**
   * A network holds fewer slots than this for each free one. So several greedy networks leave some
   * slots to others, and a single one still gets its share.
   */
  const perFreeSlot =
    maxInFlightPerAddress < maxInFlight
      ? maxInFlightPerAddress / (maxInFlight - maxInFlightPerAddress)
      : Number.POSITIVE_INFINITY;
  const hasSlot = (held: number, ofNetwork: number): boolean =>
    held < maxInFlight && ofNetwork < maxInFlightPerAddress && ofNetwork < (maxInFlight - held) * perFreeSlot;
  const isFree = (network: string): boolean => hasSlot(slots.held, slots.heldBy(network));

  /**
   * How long a request of a network will wait. Networks take turns, so each gets an equal part of
   * all answers, or as many as it got recently if that is more. A network that holds its whole
   * share gets another slot only when it gives one back.
   */
  const waitMs = (network: string, { ofNetwork, networks }: WaitingRequests): number => {
    const before = ofNetwork + queue.waitingOf(network) + 1;
    const own = answered.perSecond(network);
    const hasItsShare = slots.heldBy(network) >= maxInFlightPerAddress;
    const part = hasItsShare ? 0 : answered.perSecond() / (Math.max(networks, queue.networks) + 1);
    return (before * 1000) / Math.max(own, part);
  };

  const isSoon = (network: string, waiting: WaitingRequests): boolean => waitMs(network, waiting) <= maxSlotWaitMs;

  /**
   * Whether a slot is free for a request, even if all networks that wait take an equal part of the
   * free ones. Most of those have their share already and wait for others.
   */
  const fitsItsPart = (network: string, { ofNetwork, networks }: WaitingRequests): boolean => {
    const own = queue.waitingOf(network) + ofNetwork;
    const part = (maxInFlight - slots.held) / (Math.max(networks, queue.networks) + 1);
    return own + 1 <= part && hasSlot(slots.held + own, slots.heldBy(network) + own);
  };

  return {
    areTaken: (network, waiting) =>
      !hasSlot(
        slots.held + queue.waiting + waiting.ofAll,
        slots.heldBy(network) + queue.waitingOf(network) + waiting.ofNetwork,
      ) &&
      !fitsItsPart(network, waiting) &&
      !isSoon(network, waiting),
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
