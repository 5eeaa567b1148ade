import type { Value } from "./database.ts";

/** The lengths of all texts and bytes among the values of a statement. */
export const lengthOf = (values: readonly Value[]): number => {
  let length = 0;
  for (const value of values) {
    if (typeof value === "string" || value instanceof Uint8Array) length += value.length;
  }
  return length;
};

/**
 * In how many rounds a network lets the others go first after a transaction that gave so many bytes
 * to the database. The time that a transaction takes would not tell: while the event loop is late,
 * it is long for all.
 */
export const roundsOf = (bytes: number): number => Math.floor(bytes / (16 * 1024));
