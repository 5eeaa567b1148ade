import { createFairQueue } from "@postern/core/parts";
import { unitsOf } from "../work-of-late.ts";
import { createBurstHold } from "./burst-hold.ts";
import { createSilentConnections } from "./silent-connections.ts";

/**
 * Begins connections and requests in small portions, so that no turn of the event loop becomes long
 * and every network gets its share of each.
 */
export interface FairTurns {
  /**
   * Begins a connection when its turn has come: at once, if it comes alone. While connections come in
   * every turn of the event loop, nothing begins, for at most 100 ms: the system keeps the
   * connections of all networks in one line, and hands over one in each turn. So a turn must be short
   * until that line is empty.
   */
  connect(network: string, begin: () => void): void;
  /** Forgets a connection that has closed. Pass what `connect` got. */
  disconnect(network: string, begin: () => void): void;
  /** Begins the next connection of a network now, if one waits. */
  beginConnectionOf(network: string): void;
  /** Notes the first request of a connection. */
  noteFirstRequest(): void;
  /**
   * `undefined` when the request may begin at once. Otherwise resolves when its turn has come.
   * Waiting requests begin in rounds, one of each network that has not made more work than the
   * others of late. `wantsSlot` is true for a request that will hold a slot while it is answered;
   * webhooks and pages outside the API do not.
   */
  enter(network: string, wantsSlot: boolean): Promise<void> | undefined;
  /**
   * The same for a health check. It waits for other health checks only, of which one begins in each
   * turn of the event loop. So the probe of an orchestrator is answered while the server is busy, and
   * a flood of health checks leaves the turns to others.
   */
  enterHealthCheck(network: string): Promise<void> | undefined;
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
}

/**
 * In each turn of the event loop, requests begin for this long. The rest wait for the next turn, so
 * that answers whose data has come from the database leave in between. A write takes up to ten
 * statements, each of which ends in another turn, and on SQLite writes wait for each other. So long
 * turns delay writes many times over.
 */
const turnMs = 2;
/** The same while connections come, each of which takes a turn. */
const shortTurnMs = 0.25;
/**
 * A whole turn may take this many times as long. Much of a request's work comes after its
 * beginning, once its body has been read, and is not known beforehand. After a turn that took too
 * long, fewer requests begin in the next one.
 */
const wholeTurn = 2;
/** This many requests or connections begin in a turn, however long turns take. */
const fewestInTurn = 1;
/** The first turns run code that is not compiled yet, so few requests begin in them. */
const firstInTurn = 4;
const mostInTurn = 1_024;
/** How long to wait when nothing but connections waits, and too many are silent. */
const silentPauseMs = 2;

/** A network whose requests are refused lets the others go first for this many rounds. */
const roundsOfRefusal = 4;

interface WaitingRequest {
  readonly wantsSlot: boolean;
  begin(): void;
}

/**
 * The number of connections bounds what waits. A connection waits for its turn once. After that it
 * has at most one request that waits here; its other requests wait for the answers before them.
 */
export const createFairTurns = (nowMs: () => number = () => performance.now()): FairTurns => {
  const requests = createFairQueue<WaitingRequest>();
  const connections = createFairQueue<() => void>();
  const healthChecks = createFairQueue<() => void>();
  const hold = createBurstHold();
  const silent = createSilentConnections();
  /** How many waiting requests of each network want a slot. Networks without any are absent. */
  const slotsWanted = new Map<string, number>();
  let wantSlot = 0;
  /** When this turn began; `undefined` while there is nothing to do. */
  let turnSinceMs: number | undefined;
  let begunInTurn = 0;
  let hasBegunHealthCheck = false;
  let allowedInTurn = firstInTurn;
  let lengthMs = turnMs;
  /** Whether a connection came in this turn, and whether one came in the turn before. */
  let hasCome = false;
  let cameBefore = false;
  let lastWasConnection = false;

  const noteWanted = (network: string, change: 1 | -1): void => {
    wantSlot += change;
    const ofNetwork = (slotsWanted.get(network) ?? 0) + change;
    if (ofNetwork > 0) slotsWanted.set(network, ofNetwork);
    else slotsWanted.delete(network);
  };

  const beginRequest = (): void => {
    const next = requests.next();
    if (next?.item.wantsSlot === true) noteWanted(next.network, -1);
    next?.item.begin();
  };

  const beginConnection = (begin: (() => void) | undefined): void => {
    if (begin === undefined) return;
    silent.add(nowMs());
    begin();
  };

  /** Connections and requests take turns. Returns false if none may begin. */
  const beginOne = (): boolean => {
    const mayConnect = connections.waiting > 0 && !silent.areMany(nowMs());
    if (!mayConnect && requests.waiting === 0) return false;
    lastWasConnection = mayConnect && (requests.waiting === 0 || !lastWasConnection);
    begunInTurn += 1;
    if (lastWasConnection) beginConnection(connections.next()?.item);
    else beginRequest();
    return true;
  };

  /** Learns from the turn that is over how many may begin in the next one. */
  const learn = (tookMs: number): void => {
    if (begunInTurn === 0) return;
    const mostMs = wholeTurn * lengthMs;
    if (tookMs > mostMs) allowedInTurn = Math.max(fewestInTurn, Math.floor((begunInTurn * mostMs) / tookMs));
    else if (begunInTurn >= allowedInTurn) allowedInTurn = Math.min(mostInTurn, 2 * allowedInTurn);
  };

  const startTurn = (startMs: number): void => {
    turnSinceMs = startMs;
    const onlyConnectionsWait = !cameBefore && requests.waiting === 0 && connections.waiting > 0;
    if (onlyConnectionsWait && silent.areMany(startMs)) setTimeout(() => void nextTurn(), silentPauseMs);
    else setImmediate(() => void nextTurn());
  };

  const noteHealthCheck = (): void => {
    hasBegunHealthCheck = true;
    begunInTurn += 1;
  };

  const nextTurn = async (): Promise<void> => {
    const startMs = nowMs();
    learn(startMs - (turnSinceMs ?? startMs));
    hold.note(hasCome && cameBefore, startMs);
    cameBefore = hasCome;
    hasCome = false;
    begunInTurn = 0;
    hasBegunHealthCheck = false;
    lengthMs = cameBefore ? shortTurnMs : turnMs;
    turnSinceMs = undefined;
    if (!cameBefore && requests.waiting + connections.waiting + healthChecks.waiting === 0) return;
    startTurn(startMs);
    const healthCheck = healthChecks.next();
    if (healthCheck !== undefined) {
      noteHealthCheck();
      healthCheck.item();
      await Promise.resolve();
    }
    if (hold.isOn) return;
    const untilMs = startMs + lengthMs;
    while (begunInTurn < allowedInTurn && nowMs() < untilMs && beginOne()) {
      // The request continues in microtasks. Measure that work before the next one begins.
      await Promise.resolve();
    }
  };

  /** Whether something new may begin at once. If so, it counts as begun. */
  const mayBegin = (): boolean => {
    if (hold.isOn || requests.waiting + connections.waiting > 0) return false;
    const atMs = nowMs();
    if (turnSinceMs === undefined) startTurn(atMs);
    const tookMs = atMs - (turnSinceMs ?? atMs);
    // The first one of a turn begins, however late it comes.
    if (begunInTurn > 0 && (begunInTurn >= allowedInTurn || tookMs >= lengthMs)) return false;
    begunInTurn += 1;
    return true;
  };

  return {
    connect: (network, begin) => {
      hasCome = true;
      if (mayBegin()) return beginConnection(begin);
      connections.add(network, begin);
    },
    disconnect: (network, begin) => void connections.remove(network, begin),
    beginConnectionOf: (network) => {
      if (connections.waitingOf(network) > 0) beginConnection(connections.next((each) => each === network)?.item);
    },
    noteFirstRequest: silent.removeOne,
    enter: (network, wantsSlot) => {
      if (mayBegin()) return undefined;
      return new Promise((begin) => {
        requests.add(network, { begin, wantsSlot });
        if (wantsSlot) noteWanted(network, 1);
      });
    },
    enterHealthCheck: (network) => {
      if (hasBegunHealthCheck || healthChecks.waiting > 0) {
        return new Promise((begin) => healthChecks.add(network, begin));
      }
      if (turnSinceMs === undefined) startTurn(nowMs());
      noteHealthCheck();
      return undefined;
    },
    noteBytes: (network, bytes) => requests.charge(network, unitsOf(bytes)),
    noteRefused: (network) => {
      requests.charge(network, roundsOfRefusal);
      connections.charge(network, roundsOfRefusal);
    },
    get waiting() {
      return requests.waiting;
    },
    get wantSlot() {
      return wantSlot;
    },
    wantSlotOf: (network) => slotsWanted.get(network) ?? 0,
    get networksThatWantSlots() {
      return slotsWanted.size;
    },
  };
};

/** One for the process: all servers share its event loop. */
export const turns = createFairTurns();
