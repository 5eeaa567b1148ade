import type { Field, FieldAudience } from "./field.ts";
import { filterOperators } from "./filters.ts";

const breadth: Readonly<Record<FieldAudience, number>> = { nobody: 0, admin: 1, everyone: 2 };

/**
 * The longest text that can be sorted by: indexes and cursors hold whole values, and MariaDB sorts
 * only by the first 1,024 bytes of a text.
 */
const longestSorted = 255;

const isSortable = ({ kind, maxLength = 0 }: Field): boolean =>
  !["long-text", "json", "digest", "boolean"].includes(kind) && maxLength <= longestSorted;

/** The fault in the rules of who may filter and sort by a field; `undefined` if there is none. */
export const listFault = (field: Field): string | undefined => {
  // A caller who can filter or sort by a field can find out its values.
  if (breadth[field.filter] > breadth[field.read]) return "can be filtered by callers who may not read it";
  if (breadth[field.sort] > breadth[field.read]) return "can be sorted by callers who may not read it";
  if (field.filter !== "nobody" && filterOperators(field).length === 0) return `is ${field.kind}, which has no filters`;
  if (field.sort !== "nobody" && !isSortable(field)) {
    return `cannot be sorted by: sorting needs an index, and long texts (more than ${longestSorted} characters), JSON and booleans get none`;
  }
  return undefined;
};
