/**
 * A queue in which networks take turns. Items of the same network leave in the order in which they
 * came.
 */
export interface FairQueue<Item> {
  add(network: string, item: Item): void;
  /** The same, in front of the network's other items: for the rest of an item that has begun. */
  addFirst(network: string, item: Item): void;
  /**
   * Takes out the next item: that of the network that was served the longest ago, among those for
   * which `mayGo` is true. It is asked about the first item of a network. A network that was charged
   * passes rounds first. `undefined` if there is none.
   */
  next(
    mayGo?: (network: string, first: Item) => boolean,
  ): { readonly network: string; readonly item: Item } | undefined;
  /** Takes out an item that need not be served any more. Returns whether it was still waiting. */
  remove(network: string, item: Item): boolean;
  /**
   * Notes that an item of a network made more work than is usual: as much as `rounds` further items
   * of others. The network lets the others go first in so many rounds, at most in eight. While only
   * charged networks wait, the one with the fewest rounds left is served. Charges end when nothing
   * waits.
   */
  charge(network: string, rounds: number): void;
  /** How many items wait, of all networks. */
  readonly waiting: number;
  waitingOf(network: string): number;
  /** How many networks have items that wait. */
  readonly networks: number;
}

/**
 * A network that once sent something large must not wait for seconds behind many networks whose
 * items are small.
 */
const mostRoundsPassed = 8;
/** Networks whose charges are remembered. Beyond it all are forgotten, which only costs fairness. */
const mostCharged = 10_000;

export const createFairQueue = <Item>(): FairQueue<Item> => {
  /** The network that is served next stands first. */
  const queues = new Map<string, Item[]>();
  /** Counts rounds. In a round, each network that waits is served once. */
  let round = 0;
  /** Until which round a network passes. */
  const passesUntil = new Map<string, number>();
  let waiting = 0;

  const roundOf = (network: string): number => {
    const until = passesUntil.get(network);
    if (until === undefined || until > round) return until ?? round;
    passesUntil.delete(network);
    return round;
  };

  /** The network to serve next, and how many others let it go first. */
  const choose = (mayGo?: (network: string, first: Item) => boolean) => {
    const charged: { readonly network: string; readonly first: Item; readonly until: number }[] = [];
    let passing = 0;
    for (const [network, queue] of queues) {
      const first = queue[0] as Item; // The map holds no empty queue.
      const until = passesUntil.size === 0 ? round : roundOf(network);
      if (until > round) charged.push({ network, first, until });
      else if (mayGo?.(network, first) !== false) return { chosen: network, passing };
      passing += 1;
    }
    // Charged networks are asked last, in their order: `mayGo` may remember for whom it said no.
    charged.sort((one, other) => one.until - other.until);
    const next = charged.find(({ network, first }) => mayGo?.(network, first) !== false);
    // All that may go pass. The round of this one begins.
    if (next !== undefined) round = next.until;
    return { chosen: next?.network, passing: 0 };
  };

  /** Notes that an item has left the queue of its network, which may be empty now. */
  const left = (network: string, queue: readonly Item[]): void => {
    // The map holds no empty queue.
    if (queue.length === 0) queues.delete(network);
    waiting -= 1;
    if (waiting === 0) passesUntil.clear();
  };

  return {
    add: (network, item) => {
      const queue = queues.get(network);
      if (queue === undefined) queues.set(network, [item]);
      else queue.push(item);
      waiting += 1;
    },
    addFirst: (network, item) => {
      const queue = queues.get(network);
      if (queue === undefined) queues.set(network, [item]);
      else queue.unshift(item);
      waiting += 1;
    },
    next: (mayGo) => {
      const { chosen: network, passing } = choose(mayGo);
      if (network === undefined) return undefined;
      const queue = queues.get(network) as Item[]; // It is one of the keys.
      const item = queue.shift() as Item; // The map holds no empty queue.
      round += 1 / (queues.size - passing);
      // A network that waits alone keeps its place: moving it would cost the map a new table for every
      // few requests.
      if (queue.length > 0 && queues.size > 1) {
        queues.delete(network);
        queues.set(network, queue);
      }
      left(network, queue);
      return { network, item };
    },
    remove: (network, item) => {
      const queue = queues.get(network);
      const at = queue?.indexOf(item) ?? -1;
      if (queue === undefined || at < 0) return false;
      queue.splice(at, 1);
      left(network, queue);
      return true;
    },
    charge: (network, rounds) => {
      if (waiting === 0) return;
      if (passesUntil.size >= mostCharged) passesUntil.clear();
      passesUntil.set(network, Math.min(roundOf(network) + rounds, round + mostRoundsPassed));
    },
    get waiting() {
      return waiting;
    },
    waitingOf: (network) => queues.get(network)?.length ?? 0,
    get networks() {
      return queues.size;
    },
  };
};
