import type { BodyMemory } from "../../../packages/http/src/admission/memory.ts";
import { createLine } from "./line.ts";

export * from "../../../packages/http/src/admission/memory.ts";

/** There is memory for every body. */
export const createBodyMemory = (): BodyMemory => ({
  take: createLine().take,
  prove: () => undefined,
  most: Number.POSITIVE_INFINITY,
  held: 0,
});
