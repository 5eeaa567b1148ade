/** Something to do about some keys. */
export interface Keyed {
  readonly keys: readonly string[];
}

export interface KeyGroupLimits {
  /** The most items of a group. */
  readonly items: number;
  /** How many groups are under way at once. */
  readonly groups: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Does items that arrive together in one piece of work. Two items with a key in common are done in
 * the order in which they came: in one group, or one after the other. So the items of a key never
 * keep more than one piece of work busy, and others go on beside it. An item that comes alone is done
 * at once.
 *
 * If work fails, all of its items fail, and so do the items that wait with a key in common: each try
 * could take seconds, one after the other, while the database is away. The number of callers bounds
 * how many wait.
 */
export const createKeyGroups = <Item extends Keyed, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { items: mostItems, groups: mostGroups }: KeyGroupLimits,
): ((item: Item) => Promise<Result>) => {
  type One = Waiting<Item, Result>;
  let waiting: One[] = [];
  /** The keys of the groups under way. */
  const busy = new Set<string>();
  let groups = 0;

  /** The oldest items of whose keys neither a group under way nor an older item has one. */
  const gather = (): readonly One[] => {
    const taken = new Set(busy);
    const group: One[] = [];
    const rest: One[] = [];
    for (const one of waiting) {
      const { keys } = one.item;
      if (group.length < mostItems && !keys.some((key) => taken.has(key))) group.push(one);
      else {
        rest.push(one);
        for (const key of keys) taken.add(key);
      }
    }
    waiting = rest;
    return group;
  };

  const failAlike = (keys: ReadonlySet<string>, cause: unknown): void => {
    const alike = waiting.filter(({ item }) => item.keys.some((key) => keys.has(key)));
    waiting = waiting.filter((one) => !alike.includes(one));
    for (const one of alike) one.reject(cause);
  };

  const settle = async (group: readonly One[]): Promise<void> => {
    const keys = new Set(group.flatMap(({ item }) => item.keys));
    for (const key of keys) busy.add(key);
    groups += 1;
    try {
      const results = await work(group.map(({ item }) => item));
      group.forEach((one, index) => {
        one.resolve(results[index] as Result); // One for each item.
      });
    } catch (thrown) {
      for (const one of group) one.reject(thrown);
      failAlike(keys, thrown);
    } finally {
      for (const key of keys) busy.delete(key);
      groups -= 1;
      begin();
    }
  };

  const begin = (): void => {
    while (groups < mostGroups && waiting.length > 0) {
      const group = gather();
      if (group.length === 0) return;
      void settle(group);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      begin();
    });
};
