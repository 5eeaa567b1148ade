import type { Liveness } from "../ports/liveness.ts";

/** The locks of one simulated machine. Processes that share a registry see each other's locks. */
export interface LivenessRegistry {
  readonly holders: Map<number, object>;
}

export const livenessRegistry = (): LivenessRegistry => ({ holders: new Map() });

export interface MemoryLiveness extends Liveness {
  /** Simulates the end of the process. All its locks become free, and it takes no more. */
  die(): void;
}

export interface MemoryLivenessOptions {
  readonly registry?: LivenessRegistry;
  /** False simulates a platform where locks cannot tell: `isHeld` always returns `undefined`. */
  readonly canTell?: boolean;
}

/**
 * One simulated process. `hold` throws if the lock is already held, by this process or another.
 * Runner ids are never used twice, so that would be a bug.
 */
export const memoryLiveness = ({
  registry = livenessRegistry(),
  canTell = true,
}: MemoryLivenessOptions = {}): MemoryLiveness => {
  const { holders } = registry;
  const mine = new Set<object>();
  let alive = true;

  return {
    hold: async (runnerId) => {
      if (!alive) throw new Error("this process has ended");
      if (holders.has(runnerId)) throw new Error(`the lock of runner ${runnerId} is held already`);
      const holder = {};
      holders.set(runnerId, holder);
      mine.add(holder);
      return {
        release: async () => {
          mine.delete(holder);
          if (holders.get(runnerId) === holder) holders.delete(runnerId);
        },
      };
    },
    isHeld: async (runnerId) => (canTell ? holders.has(runnerId) : undefined),
    die: () => {
      alive = false;
      for (const [runnerId, holder] of holders) if (mine.has(holder)) holders.delete(runnerId);
      mine.clear();
    },
  };
};
