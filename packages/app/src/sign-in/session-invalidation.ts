import type { OwnTables, OwnTransaction, Resource, ResourceRepository, Storage, Stores } from "@postern/core";
import { type JoinedStores, storeNames } from "@postern/core/ports";

type Changes = Pick<ResourceRepository, "update" | "delete" | "deleteWhere">;

const watchedChanges = (resources: Changes, watched: ReadonlySet<string>, changed: () => void): Changes => {
  const telling = async <Result>(resource: Resource, write: Promise<Result>): Promise<Result> => {
    try {
      return await write;
    } finally {
      if (watched.has(resource.name)) changed();
    }
  };
  return {
    update: (resource, ...given) => telling(resource, resources.update(resource, ...given)),
    delete: (resource, ...given) => telling(resource, resources.delete(resource, ...given)),
    deleteWhere: (resource, ...given) => telling(resource, resources.deleteWhere(resource, ...given)),
  };
};

/**
 * The repository of a transaction with watched changes. Its methods are named, because a spread
 * with members after it takes seven times as long (benchmarks/objects).
 */
const watchedResources = (
  resources: ResourceRepository,
  watched: ReadonlySet<string>,
  changed: () => void,
): ResourceRepository => {
  const { find, list, findEach, listBelow, usage, count, insert, hold } = resources;
  const { update, delete: remove, deleteWhere } = watchedChanges(resources, watched, changed);
  return { find, list, findEach, listBelow, usage, count, insert, hold, update, delete: remove, deleteWhere };
};

/**
 * The stores of `stores`, each looked up when it is used; only `resources` is replaced. Today all rows of
 * users and sessions are changed through `resources`. A store that changed them in another way would have
 * to be watched like it. This is a class because every transaction has one, and an object that inherits
 * from `stores` takes 14 µs to make.
 */
class WatchedStores {
  readonly stores: Stores;
  readonly #watch: (resources: ResourceRepository) => ResourceRepository;
  #resources: ResourceRepository | undefined;

  constructor(stores: Stores, watch: (resources: ResourceRepository) => ResourceRepository) {
    this.stores = stores;
    this.#watch = watch;
  }

  get resources(): ResourceRepository {
    this.#resources ??= this.#watch(this.stores.resources);
    return this.#resources;
  }
}

for (const name of storeNames) {
  if (name === "resources") continue;
  Object.defineProperty(WatchedStores.prototype, name, {
    get(this: WatchedStores) {
      return this.stores[name];
    },
  });
}

const watchedStores = (...given: ConstructorParameters<typeof WatchedStores>): Stores =>
  new WatchedStores(...given) as unknown as Stores /* by the getters above */;

/**
 * A storage that calls `changed` whenever rows of some resources may have been changed or deleted
 * through it. It does so before the writer learns that the write is done, and also if the write
 * failed. For a transaction, it does so after the transaction has ended, however it ended. New rows
 * do not count as changes.
 */
export const watchedStorage = (storage: Storage, resources: readonly Resource[], changed: () => void): Storage => {
  const watched = new Set(resources.map(({ name }) => name));
  const { join } = storage;
  const watchedWithin = (stores: Stores, touch: () => void): Stores =>
    watchedStores(stores, (inner) => watchedResources(inner, watched, touch));
  // Everything else comes from `storage.resources` when it is used.
  const outer: ResourceRepository = Object.assign(
    Object.create(storage.resources),
    watchedChanges(storage.resources, watched, changed),
  );
  return Object.assign(
    watchedStores(storage, () => outer),
    {
      transaction: async <Result>(
        work: (stores: Stores, own: OwnTables) => Promise<Result>,
        network?: string,
      ): Promise<Result> => {
        let touched = false;
        const touch = () => {
          touched = true;
        };
        try {
          return await storage.transaction((stores, own) => work(watchedWithin(stores, touch), own), network);
        } finally {
          if (touched) changed();
        }
      },
      ...(join === undefined
        ? {}
        : {
            join: (transaction: OwnTransaction): JoinedStores => {
              const { stores, afterCommit } = join(transaction);
              let isTouched = false;
              const touch = () => {
                if (!isTouched) afterCommit(changed);
                isTouched = true;
              };
              return { stores: watchedWithin(stores, touch), afterCommit };
            },
          }),
      housekeeping: storage.housekeeping,
      auditChain: storage.auditChain,
      deliveryCounts: storage.deliveryCounts,
      feed: storage.feed,
      refusals: storage.refusals,
      counts: storage.counts,
      snapshot: storage.snapshot,
      past: storage.past,
      freeBytes: () => storage.freeBytes(),
      check: () => storage.check(),
      checkWritable: () => storage.checkWritable(),
    },
  );
};
