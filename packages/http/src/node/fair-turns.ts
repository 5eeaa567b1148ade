import { createFairQueue } from "@postern/core/parts";
import { unitsOf } from "../work-of-late.ts";

/**
 * Begins requests in small portions, so that no turn of the event loop becomes long and every
 * network gets its share of each.
 */
export interface FairTurns {
  /**
   * `undefined` when the request may begin at once. Otherwise resolves when its turn has come.
   * Waiting requests begin in rounds, one of each network that has not made more work than the
   * others of late. `wantsSlot` is true for a request that
   * will hold a slot while it is answered; webhooks and pages outside the API do not.
   */
  enter(network: string, wantsSlot: boolean): Promise<void> | undefined;
  /**
   * Notes bytes of a body or of an answer. A network that sends or gets many lets the others begin
   * more requests than its own.
   */
  noteBytes(network: string, bytes: number): void;
  /** Notes a request that was refused. Its network lets the others begin some requests first. */
  noteRefused(network: string): void;
  /** How many requests wait, of all networks. */
  readonly waiting: number;
  /** How many of them want a slot. */
  readonly wantSlot: number;
  wantSlotOf(network: string): number;
  /** How many networks have waiting requests that want a slot. */
  readonly networksThatWantSlots: number;
  /**
   * Keeps this turn and the next one short, because a connection has come. The system hands over
   * one connection in each turn, so the turns decide how long the connections behind it wait.
   */
  shorten(): void;
}

/**
 * In each turn of the event loop, requests begin for this long. The rest wait for the next turn, so
 * that answers whose data has come from the database leave in between. A write takes up to ten
 * statements, each of which ends in another turn, and on SQLite writes wait for each other. So long
 * turns delay writes many times over.
 */
const turnMs = 2;
/**
 * The same while connections come. Of 400 that come at once, the last one waits for 400 turns. With
 * 1 ms the p99 of a healthy client was up to three times as high.
 */
const shortTurnMs = 0.25;
/**
 * A whole turn may take this many times as long. Much of a request's work comes after its
 * beginning, once its body has been read, and is not known beforehand. After a turn that took too
 * long, fewer requests begin in the next one.
 */
const wholeTurn = 2;
/** This many requests begin in a turn, however long turns take. */
const fewestInTurn = 1;
/** The first turns run code that is not compiled yet, so few requests begin in them. */
const firstInTurn = 4;
const mostInTurn = 1_024;

/** A network whose requests are refused lets the others go first for this many rounds. */
const roundsOfRefusal = 4;

interface Waiting {
  readonly wantsSlot: boolean;
  begin(): void;
}

/**
 * The number of connections bounds the queue. Each connection has at most one request in it; its
 * other requests wait for the answers before them.
 */
export const createFairTurns = (nowMs: () => number = () => performance.now()): FairTurns => {
  const queue = createFairQueue<Waiting>();
  /** How many waiting requests of each network want a slot. Networks without any are absent. */
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
      // The request continues in microtasks. Measure that work before the next request begins.
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
    noteBytes: (network, bytes) => queue.charge(network, unitsOf(bytes)),
    noteRefused: (network) => queue.charge(network, roundsOfRefusal),
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

/** One for the process: all servers share its event loop. */
export const turns = createFairTurns();
