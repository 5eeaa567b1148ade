import { createFairQueue as createFair, type FairQueue } from "../../../packages/core/src/fair-queue.ts";

/** A queue in which nobody takes turns: first come, first served. */
export const createFairQueue = <Item>(): FairQueue<Item> => {
  const queue = createFair<readonly [network: string, item: Item]>();
  const of = new Map<Item, readonly [string, Item]>();
  const entryOf = (network: string, item: Item) => {
    const entry = [network, item] as const;
    of.set(item, entry);
    return entry;
  };
  return {
    add: (network, item) => queue.add("all", entryOf(network, item)),
    addFirst: (network, item) => queue.addFirst("all", entryOf(network, item)),
    next: (mayGo) => {
      const found = queue.next((_all, [network, item]) => mayGo?.(network, item) !== false);
      if (found === undefined) return undefined;
      const [network, item] = found.item;
      of.delete(item);
      return { network, item };
    },
    remove: (_network, item) => {
      const entry = of.get(item);
      of.delete(item);
      return entry !== undefined && queue.remove("all", entry);
    },
    charge: () => undefined,
    get waiting() {
      return queue.waiting;
    },
    waitingOf: () => queue.waiting,
    get networks() {
      return queue.networks;
    },
  };
};
