/** What waits, by network: each network is served in turn, and within a network who came first. */
export interface FairQueue<Item> {
  add(network: string, item: Item): void;
  /**
   * Takes the next item out: of the network that was served the longest ago, among those that
   * `mayGo`. `undefined` when none may.
   */
  next(mayGo?: (network: string) => boolean): { readonly network: string; readonly item: Item } | undefined;
  /** The items that wait, of all networks. */
  readonly waiting: number;
  waitingOf(network: string): number;
  /** The networks that wait. */
  readonly networks: number;
}

export const createFairQueue = <Item>(): FairQueue<Item> => {
  /** Networks in the order in which they are served next. */
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
        const item = queue.shift() as Item; // No queue stays here empty.
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
