import type { Field, FieldKind } from "./field.ts";

export type FilterOperator =
  | "eq"
  | "ne"
  | "lt"
  | "lte"
  | "gt"
  | "gte"
  | "in"
  | "nin"
  | "contains"
  | "starts_with"
  | "null";

const ofWords = ["eq", "ne", "in", "nin"] as const;
const ofText = [...ofWords, "contains", "starts_with"] as const;
const ofNumbers = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin"] as const;

const byKind: Readonly<Record<FieldKind, readonly FilterOperator[]>> = {
  id: ofWords,
  reference: ofWords,
  text: ofText,
  "long-text": ["contains", "starts_with"],
  choice: ofWords,
  integer: ofNumbers,
  decimal: ofNumbers,
  boolean: ["eq", "ne"],
  date: ofNumbers,
  timestamp: ofNumbers,
  json: [],
  digest: [],
};

/** The filters that a list has for a field of this kind. */
export const filterOperators = ({ kind, nullable }: Field): readonly FilterOperator[] =>
  nullable && byKind[kind].length > 0 ? [...byKind[kind], "null"] : byKind[kind];
