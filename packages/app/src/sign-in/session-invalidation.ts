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

/** The stores of `stores`, looked up when they are used; only `resources` is another. */
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
});

/**
 * A storage that calls `changed` whenever rows of some resources may have been changed or deleted through it: before the writer learns that it is done,
 * and also when a write failed. Within a transaction, once it has ended, however it ended. New rows are no change.
 */
export const watchedStorage = (storage: Storage, resources: readonly Resource[], changed: () => void): Storage => {
  const watched = new Set(resources.map(({ name }) => name));
  // Everything else is what `storage.resources` has when it is asked for.
  const outer: ResourceRepository = Object.assign(
    Object.create(storage.resources),
    watchedChanges(storage.resources, watched, changed),
  );
  return Object.assign(
    withResources(storage, () => outer),
    {
      transaction: async <Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> => {
        let touched = false;
        const touch = () => {
          touched = true;
        };
        try {
          return await storage.transaction((stores) =>
            work(
              withResources(stores, () => ({
                ...stores.resources,
                ...watchedChanges(stores.resources, watched, touch),
              })),
            ),
          );
        } finally {
          if (touched) changed();
        }
      },
      housekeeping: storage.housekeeping,
      check: () => storage.check(),
      checkWritable: () => storage.checkWritable(),
    },
  );
};
