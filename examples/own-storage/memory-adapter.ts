import type { StorageAdapter } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";

/** Stores in memory, until the process ends. */
export const memoryAdapter = (): StorageAdapter => {
  const { storage, rateLimits, deprecatedUses, liveness } = memoryPorts();
  return {
    storage,
    rateLimits,
    deprecatedUses,
    liveness,
    isShared: false,
    migrate: { latest: async () => [] },
    close: async () => undefined,
  };
};
