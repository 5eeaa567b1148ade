import { createLine } from "./line.ts";

export * from "../../../packages/http/src/admission/memory.ts";

/** Every answer may wait for its reader. */
export const createUnread = createLine;
