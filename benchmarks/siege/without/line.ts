import type { Line, Share } from "../../../packages/core/src/line.ts";

export * from "../../../packages/core/src/internal.ts";

const free: Share = { keep: () => undefined, release: () => undefined };

/** A line that has room for everybody. */
export const createLine = (): Line => ({
  take: () => free,
  takeFree: () => free,
  held: 0,
  heldBy: () => 0,
  waiting: 0,
});
