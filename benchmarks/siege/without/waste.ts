import type { Waste } from "../../../packages/http/src/admission/rate.ts";

export * from "../../../packages/http/src/admission/rate.ts";

/** Nothing is counted, and every connection is taken. */
export const createWaste = (): Waste => ({ note: () => false, isInDebt: () => false, noteClosed: () => undefined });
