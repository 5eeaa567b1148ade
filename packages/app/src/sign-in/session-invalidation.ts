import type { Resource, ResourceRepository, Storage, Stores } from "@postern/core";

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
 * The stores of `stores`, each looked up when it is used; only `resources` is replaced. Each store
 * is named here, so that a new one does not compile until it is added. Then ask whether it can
 * change users or sessions. Today all their rows are changed through `resources`. A store that
 * changed them in another way would have to be watched like `resources`.
 */
const withResources = (stores: Stores, resources: () => ResourceRepository): Stores => ({
  get resources() {
    return resources();
  },
  get events() {
    return stores.events;
  },
  get forwards() {
    return stores.forwards;
  },
  get providers() {
    return stores.providers;
  },
  get jobs() {
    return stores.jobs;
  },
  get jobRecords() {
    return stores.jobRecords;
  },
  get queues() {
    return stores.queues;
  },
  get scheduleSlots() {
    return stores.scheduleSlots;
  },
  get runners() {
    return stores.runners;
  },
  get audit() {
    return stores.audit;
  },
  get answers() {
    return stores.answers;
  },
  get signingKeys() {
    return stores.signingKeys;
  },
});

/**
 * A storage that calls `changed` whenever rows of some resources may have been changed or deleted
 * through it. It does so before the writer learns that the write is done, and also if the write
 * failed. For a transaction, it does so after the transaction has ended, however it ended. New rows
 * do not count as changes.
 */
export const watchedStorage = (storage: Storage, resources: readonly Resource[], changed: () => void): Storage => {
  const watched = new Set(resources.map(({ name }) => name));
  // Everything else comes from `storage.resources` when it is used.
  const outer: ResourceRepository = Object.assign(
    Object.create(storage.resources),
    watchedChanges(storage.resources, watched, changed),
  );
  return Object.assign(
    withResources(storage, () => outer),
    {
      transaction: async <Result>(work: (stores: Stores) => Promise<Result>, network?: string): Promise<Result> => {
        let touched = false;
        const touch = () => {
          touched = true;
        };
        try {
          return await storage.transaction(
            (stores) =>
              work(
                withResources(stores, () => ({
                  ...stores.resources,
                  ...watchedChanges(stores.resources, watched, touch),
                })),
              ),
            network,
          );
        } finally {
          if (touched) changed();
        }
      },
      housekeeping: storage.housekeeping,
      auditChain: storage.auditChain,
      check: () => storage.check(),
      checkWritable: () => storage.checkWritable(),
    },
  );
};
