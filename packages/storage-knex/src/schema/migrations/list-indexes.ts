import type { Index } from "./migration.ts";

/**
 * Makes an index for each order in which a list can be read. It is for a whole table, or for each
 * value of `parent`.
 */
export const listIndexes = (fields: readonly string[], parent?: string): readonly Index[] =>
  fields.map((field) => ({
    name: parent === undefined ? `by_${field}` : `${parent}_${field}`,
    columns: [...(parent === undefined ? [] : [parent]), field, "id"].join(", "),
  }));
