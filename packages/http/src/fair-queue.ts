/**
 * A queue in which networks take turns. Items of the same network leave in the order in which they
 * came.
 */
export interface FairQueue<Item> {
  add(network: string, item: Item): void;
  /**
   * Takes out the next item: that of the network that was served the longest ago, among those for
   * which `mayGo` is true. `undefined` if there is none.
   */
  next(mayGo?: (network: string) => boolean): { readonly network: string; readonly item: Item } | undefined;
  /** How many items wait, of all networks. */
  readonly waiting: number;
  waitingOf(network: string): number;
  /** How many networks have items that wait. */
  readonly networks: number;
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  /** The network that is served next stands first. */
  const queues = new Map<string, Item[]>();
  let waiting = 0;
  return {
    add: (network, item) => {
      const queue = queues.get(network);
      if (queue === undefined) queues.set(network, [item]);
      else queue.push(item);
      waiting += 1;
    },
    next: (mayGo) => {
      for (const [network, queue] of queues) {
        if (mayGo?.(network) === false) continue;
        const item = queue.shift() as Item; // The map holds no empty queue.
        queues.delete(network);
        if (queue.length > 0) queues.set(network, queue);
        waiting -= 1;
        return { network, item };
      }
      return undefined;
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
