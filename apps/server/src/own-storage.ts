import type { StorageAdapter } from "@postern/core";
import type { KnexStorage } from "@postern/storage-knex";

const nothing = async (): Promise<readonly never[]> => [];

/** What a storage without tables of ours says to an operator. */
const silent: Pick<KnexStorage, "migrate" | "inspect" | "lowLimits" | "replacement"> = {
  migrate: {
    latest: nothing,
    plan: async () => ({ changes: [], refused: [] }),
    runByHand: async () => undefined,
    down: async () => undefined,
    status: async () => ({ applied: [], pending: [] }),
    tables: async () => ({ declared: [], leftOver: [] }),
    parts: nothing,
  },
  inspect: async () => ({ driver: "the storage of the configuration" }),
  lowLimits: nothing,
  replacement: async () => undefined,
};

/**
 * The storage of the configuration as the server and the commands use one. Members that only some
 * storages have, such as those of `createKnexStorage`, are taken from it where they are.
 */
export const completed = (given: StorageAdapter): KnexStorage => ({
  ...silent,
  ...given,
  migrate: { ...silent.migrate, ...given.migrate },
});
