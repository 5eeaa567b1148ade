import type { DeprecatedUseStore } from "./deprecated-use-store.ts";
import type { Liveness } from "./liveness.ts";
import type { RateLimitStore } from "./rate-limit-store.ts";
import type { Storage } from "./storage.ts";
import type { Wakeup } from "./wakeup.ts";

/**
 * Everything that a server needs of the place where it stores: the member `storage` of its
 * configuration. `createKnexStorage` makes one, and `docs/adapters.md` says how to write another. It
 * connects when it is first used, because each command reads the configuration.
 */
export interface StorageAdapter {
  /** Nothing in it need work before `migrate.latest()` has run once on the place. */
  readonly storage: Storage;
  readonly rateLimits: RateLimitStore;
  readonly deprecatedUses: DeprecatedUseStore;
  readonly liveness: Liveness;
  /** Wakes the workers of all processes. Absent where the place carries no messages. */
  readonly wakeup?: Wakeup;
  /** Whether several processes may use the place at the same time. */
  readonly isShared: boolean;
  readonly migrate: {
    /**
     * Brings the place to the form that this version and the declared resources need. Returns the
     * names of the steps that it took. Any number of processes may call it at once.
     */
    latest(): Promise<readonly string[]>;
  };
  /** Ends what is under way. A second call does nothing. */
  close(): Promise<void>;
}
