/** Bounds the body bytes in memory over all connections, which a bound for each body would not do. */
export interface ByteBudget {
  /** Takes `bytes` if they still fit. */
  take(bytes: number): boolean;
  release(bytes: number): void;
  /** The bytes that are taken now. */
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
