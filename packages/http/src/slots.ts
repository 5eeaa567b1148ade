import { createFairQueue } from "@postern/core/parts";
import type { HttpSettings } from "./options.ts";
import { createShares } from "./shares.ts";

/** Requests that have come but neither hold a slot nor wait in the queue for one yet. */
export interface WaitingRequests {
  readonly ofAll: number;
  readonly ofNetwork: number;
  /** How many networks they come from. */
  readonly networks: number;
}

/**
 * The slots in which requests are answered: a total number, and a share of it for each network. A
 * request that finds no free slot waits, unless one of its network waits for too long already. To
 * wait costs nothing. A refusal costs a good part of an answer, and its caller tries again. Networks
 * that wait take turns.
 */
export interface Slots {
  /** Whether no slot is free for a request, and it may not wait for one. */
  areTaken(network: string, waiting: WaitingRequests): boolean;
  /** Whether a request may wait: none of its network waits for longer than it may. */
  mayWait(network: string): boolean;
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
  /** When the waiting requests of each network came, the oldest first. */
  const since = new Map<string, number[]>();
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

  const mayWait = (network: string): boolean =>
    maxSlotWaitMs > 0 && now() - (since.get(network)?.[0] ?? now()) < maxSlotWaitMs;

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
      !mayWait(network),
    mayWait,
    areFew: (waiting) => {
      const all = slots.held + queue.waiting + waiting;
      return !hasSlot(all, all);
    },
    take: (network) => {
      if (queue.waitingOf(network) === 0 && isFree(network)) {
        slots.take(network, 1);
        return undefined;
      }
      const times = since.get(network);
      if (times === undefined) since.set(network, [now()]);
      else times.push(now());
      return new Promise((resolve) => queue.add(network, resolve));
    },
    release: (network) => {
      slots.release(network, 1);
      while (queue.waiting > 0) {
        const next = queue.next(isFree);
        if (next === undefined) break;
        since.get(next.network)?.shift();
        if (queue.waitingOf(next.network) === 0) since.delete(next.network);
        slots.take(next.network, 1);
        next.item();
      }
    },
    get requests() {
      return slots.held + queue.waiting;
    },
  };
};
