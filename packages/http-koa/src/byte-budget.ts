/** How many body bytes may be in memory at once, over all connections: many small senders must not do together what one may not do alone. */
export interface ByteBudget {
  /** Takes `bytes` if they still fit. */
  take(bytes: number): boolean;
  release(bytes: number): void;
  /** What is taken now. */
  readonly held: number;
}

export const createByteBudget = (limit: number): ByteBudget => {
  let held = 0;
  return {
    take: (bytes) => {
      if (held + bytes > limit) return false;
      held += bytes;
      return true;
    },
    release: (bytes) => {
      held -= bytes;
    },
    get held() {
      return held;
    },
  };
};
