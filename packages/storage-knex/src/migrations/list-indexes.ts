import type { Index } from "./migration.ts";

/** An index for each order that a list can be asked for: of a whole table, or below each of `parent`. */
export const listIndexes = (fields: readonly string[], parent?: string): readonly Index[] =>
  fields.map((field) => ({
    name: parent === undefined ? `by_${field}` : `${parent}_${field}`,
    columns: [...(parent === undefined ? [] : [parent]), field, "id"].join(", "),
  }));
