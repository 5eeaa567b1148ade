import { createFairQueue } from "../fair-queue.ts";

/**
 * Begins requests so that one turn of the event loop never becomes long, and every network gets its
 * share of it.
 */
export interface FairTurns {
  /**
   * `undefined` when the request may begin at once. Otherwise resolves when its turn has come.
   * Requests that wait begin one of each network after the other. `wantsSlot` is true for a request
   * that will hold a slot while it is answered; webhooks and pages outside the API do not.
   */
  enter(network: string, wantsSlot: boolean): Promise<void> | undefined;
  /** The requests that wait, of all networks. */
  readonly waiting: number;
  /** Those of them that want a slot. */
  readonly wantSlot: number;
  wantSlotOf(network: string): number;
  /** The networks of those that want a slot. */
  readonly networksThatWantSlots: number;
  /**
   * Keeps this turn and the next one short, because a connection has come. The system hands over
   * one connection in each turn, so the turns decide how long the connections behind it wait.
   */
  shorten(): void;
}

/**
 * Requests begin in a turn of the event loop for this long. The rest wait for the next turn, so
 * that answers whose data has come from the database leave in between.
 */
const turnMs = 10;
/** The same while connections come. */
const shortTurnMs = 1;
/**
 * A turn may take so many times as long altogether. Much of a request's work comes after its
 * beginning, when its body has been read. It is not known beforehand: after a turn that took
 * longer, fewer requests begin in the next one.
 */
const wholeTurn = 2;
/** Requests that begin in a turn however long turns take. */
const fewestInTurn = 1;
/** The first turns run code that is not compiled yet, so they begin with few. */
const firstInTurn = 4;
const mostInTurn = 1_024;

interface Waiting {
  readonly wantsSlot: boolean;
  begin(): void;
}

/**
 * What waits is bounded by the connections: each has one request at most that is not waiting for
 * its own answers.
 */
export const createFairTurns = (nowMs: () => number = () => performance.now()): FairTurns => {
  const queue = createFairQueue<Waiting>();
  /** Those that wait and want a slot. It holds only networks that have some. */
  const slotsWanted = new Map<string, number>();
  let wantSlot = 0;
  /** When the first request of this turn began. */
  let begunMs: number | undefined;
  let begunInTurn = 0;
  let allowedInTurn = firstInTurn;
  let lengthMs = turnMs;
  let hasConnection = false;

  const noteWanted = (network: string, change: 1 | -1): void => {
    wantSlot += change;
    const ofNetwork = (slotsWanted.get(network) ?? 0) + change;
    if (ofNetwork > 0) slotsWanted.set(network, ofNetwork);
    else slotsWanted.delete(network);
  };

  const beginOne = (): void => {
    const next = queue.next();
    if (next?.item.wantsSlot === true) noteWanted(next.network, -1);
    begunInTurn += 1;
    next?.item.begin();
  };

  /** Learns from the turn that is over how many requests the next one may begin. */
  const learn = (tookMs: number): void => {
    const mostMs = wholeTurn * lengthMs;
    if (tookMs > mostMs) allowedInTurn = Math.max(fewestInTurn, Math.floor((begunInTurn * mostMs) / tookMs));
    else if (begunInTurn >= allowedInTurn) allowedInTurn = Math.min(mostInTurn, 2 * allowedInTurn);
  };

  const nextTurn = async (): Promise<void> => {
    const startMs = nowMs();
    learn(startMs - (begunMs ?? startMs));
    begunMs = queue.waiting > 0 ? startMs : undefined;
    begunInTurn = 0;
    lengthMs = hasConnection ? shortTurnMs : turnMs;
    hasConnection = false;
    if (begunMs === undefined) return;
    setImmediate(() => void nextTurn());
    const untilMs = begunMs + lengthMs;
    while (queue.waiting > 0 && begunInTurn < allowedInTurn && nowMs() < untilMs) {
      beginOne();
      // The request goes on in microtasks; its work counts before the next one begins.
      await Promise.resolve();
    }
  };

  return {
    enter: (network, wantsSlot) => {
      if (begunMs === undefined) {
        begunMs = nowMs();
        begunInTurn = 1;
        setImmediate(() => void nextTurn());
        return undefined;
      }
      if (queue.waiting === 0 && begunInTurn < allowedInTurn && nowMs() - begunMs < lengthMs) {
        begunInTurn += 1;
        return undefined;
      }
      return new Promise((begin) => {
        queue.add(network, { begin, wantsSlot });
        if (wantsSlot) noteWanted(network, 1);
      });
    },
    get waiting() {
      return queue.waiting;
    },
    get wantSlot() {
      return wantSlot;
    },
    wantSlotOf: (network) => slotsWanted.get(network) ?? 0,
    get networksThatWantSlots() {
      return slotsWanted.size;
    },
    shorten: () => {
      lengthMs = shortTurnMs;
      hasConnection = true;
    },
  };
};
