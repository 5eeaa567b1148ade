import { allParts, type Part, resourcesOfParts } from "@postern/app";
import type { Resource, Storage, StorageAdapter } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { createKnexStorage } from "@postern/storage-knex";

/** A place to store, and whether a call of it is under way. */
export interface TestStorage {
  readonly adapter: StorageAdapter;
  isBusy(): boolean;
}

type Method = (...args: readonly unknown[]) => unknown;
type Members = Readonly<Record<string, unknown>>;

/** The same object, whose methods tell `count` when they begin and end. */
const counted = (members: Members, count: (by: number) => void): Members =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      if (typeof member === "object" && member !== null) return [name, counted({ ...member }, count)];
      if (typeof member !== "function") return [name, member];
      const call = (...args: readonly unknown[]): unknown => {
        const result = (member as Method)(...args);
        count(1);
        void Promise.resolve(result).then(
          () => count(-1),
          () => count(-1),
        );
        return result;
      };
      return [name, call];
    }),
  );

/** A database, whose time is the clock of the test, and which holds nothing back by a real clock. */
const underTestClock = (storage: Storage): Storage => ({
  ...storage,
  runners: { ...storage.runners, databaseTime: async () => undefined },
  events: { ...storage.events, gatherAcceptsMs: 0 },
});

const inMemory = (): TestStorage => {
  const { storage, rateLimits, deprecatedUses, liveness } = memoryPorts();
  const migrate = { latest: async () => [] };
  const close = async () => undefined;
  return {
    adapter: { storage, rateLimits, deprecatedUses, liveness, isShared: false, migrate, close },
    isBusy: () => false,
  };
};

interface StorageNeeds {
  readonly database?: string | undefined;
  readonly parts?: readonly Part[] | undefined;
  readonly resources?: readonly Resource[] | undefined;
  readonly user?: Resource | undefined;
}

/**
 * Memory, or the database with this URL. What a database has stays there.
 * @throws TypeError for a URL that cannot be used.
 */
export const testStorage = ({ database, parts = allParts, resources = [], user }: StorageNeeds): TestStorage => {
  if (database === undefined) return inMemory();
  const adapter = createKnexStorage({
    url: database,
    parts,
    resources: [...resourcesOfParts(parts, user), ...resources],
  });
  let calls = 0;
  const count = (by: number): void => {
    calls += by;
  };
  // Counting changes no type.
  const storage = counted({ ...underTestClock(adapter.storage) }, count) as unknown as Storage;
  return { adapter: { ...adapter, storage }, isBusy: () => calls > 0 };
};
