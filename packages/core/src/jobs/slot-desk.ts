import type { StoredEvent } from "../ports/event-store.ts";
import type { ClaimedJob } from "../ports/job.ts";
import type { SlotOffer } from "../ports/job-queue.ts";

/** Slots that are kept free for jobs which are just being stored. */
export interface Reservation {
  readonly offer: SlotOffer;
  /** The jobs were stored, and some of them handed out: they start now. `events` are those they are about, by number. */
  start(claimed: readonly ClaimedJob[], events?: ReadonlyMap<number, StoredEvent>): void;
  /** It is not known what became of them. */
  fail(): void;
}

/** A worker of this process that may take jobs before they have been anybody else's. */
export interface SlotSource {
  reserve(queue: string, most: number): Reservation | undefined;
}

/** Where whoever stores jobs finds the free slots of the same process. */
export const createSlotDesk = () => {
  const sources = new Set<SlotSource>();
  return {
    open: (source: SlotSource): void => void sources.add(source),
    close: (source: SlotSource): void => void sources.delete(source),
    reserve: (queue: string, most: number): Reservation | undefined => {
      for (const source of sources) {
        const reservation = source.reserve(queue, most);
        if (reservation !== undefined) return reservation;
      }
      return undefined;
    },
  };
};

export type SlotDesk = ReturnType<typeof createSlotDesk>;
