import type { OwnTables, OwnTransaction, Resource, ResourceRepository, Storage, Stores } from "@postern/core";
import type { JoinedStores } from "@postern/core/parts";

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
 * The repository of a transaction with watched changes. Its methods are named, because V8 takes
 * many times as long to spread an object and add members.
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
 * The stores of `stores`, each looked up when it is used; only `resources` is replaced. Each store
 * is named here, so that a new one does not compile until it is added. Then ask whether it can
 * change users or sessions. Today all their rows are changed through `resources`. A store that
 * changed them in another way would have to be watched like `resources`. This is a class because
 * every transaction has one, and a literal with these getters would take 2 kB.
 */
class WatchedStores implements Stores {
  readonly #stores: Stores;
  readonly #watch: (resources: ResourceRepository) => ResourceRepository;
  #resources: ResourceRepository | undefined;

  constructor(stores: Stores, watch: (resources: ResourceRepository) => ResourceRepository) {
    this.#stores = stores;
    this.#watch = watch;
  }

  get resources(): ResourceRepository {
    this.#resources ??= this.#watch(this.#stores.resources);
    return this.#resources;
  }

  get events(): Stores["events"] {
    return this.#stores.events;
  }

  get plans(): Stores["plans"] {
    return this.#stores.plans;
  }

  get notes(): Stores["notes"] {
    return this.#stores.notes;
  }

  get forwards(): Stores["forwards"] {
    return this.#stores.forwards;
  }

  get providers(): Stores["providers"] {
    return this.#stores.providers;
  }

  get jobs(): Stores["jobs"] {
    return this.#stores.jobs;
  }

  get jobRecords(): Stores["jobRecords"] {
    return this.#stores.jobRecords;
  }

  get queues(): Stores["queues"] {
    return this.#stores.queues;
  }

  get scheduleSlots(): Stores["scheduleSlots"] {
    return this.#stores.scheduleSlots;
  }

  get runners(): Stores["runners"] {
    return this.#stores.runners;
  }

  get audit(): Stores["audit"] {
    return this.#stores.audit;
  }

  get answers(): Stores["answers"] {
    return this.#stores.answers;
  }

  get signingKeys(): Stores["signingKeys"] {
    return this.#stores.signingKeys;
  }
}

/**
 * A storage that calls `changed` whenever rows of some resources may have been changed or deleted
 * through it. It does so before the writer learns that the write is done, and also if the write
 * failed. For a transaction, it does so after the transaction has ended, however it ended. New rows
 * do not count as changes.
 */
export const watchedStorage = (storage: Storage, resources: readonly Resource[], changed: () => void): Storage => {
  const watched = new Set(resources.map(({ name }) => name));
  const { join } = storage;
  // Everything else comes from `storage.resources` when it is used.
  const outer: ResourceRepository = Object.assign(
    Object.create(storage.resources),
    watchedChanges(storage.resources, watched, changed),
  );
  return Object.assign(new WatchedStores(storage, () => outer), {
    transaction: async <Result>(
      work: (stores: Stores, own: OwnTables) => Promise<Result>,
      network?: string,
    ): Promise<Result> => {
      let touched = false;
      const touch = () => {
        touched = true;
      };
      try {
        return await storage.transaction(
          (stores, own) => work(new WatchedStores(stores, (inner) => watchedResources(inner, watched, touch)), own),
          network,
        );
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
            return {
              stores: new WatchedStores(stores, (inner) => watchedResources(inner, watched, touch)),
              afterCommit,
            };
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
  });
};
