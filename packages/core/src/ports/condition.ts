/** A value a row's field can be compared with. Times are the field's own text form (RFC 3339, UTC, three decimals). */
export type Comparable = string | number | boolean | null;

export type ComparisonOperator = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

/** Looks for a piece of text. A to Z are taken for a to z and the other way round; every other character stands for itself alone, `%` and `_` too. */
export type TextOperator = "contains" | "starts_with";

/**
 * A closed little algebra over the rows of one resource. It is what access rules and filters are made of; a memory adapter evaluates
 * it, a database adapter compiles it to a WHERE clause. Comparison of text is bytewise; a comparison with null holds only for
 * `eq null` (is null) and `ne null` (is not null), and none holds for a row that has null there.
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly field: string; readonly op: ComparisonOperator; readonly value: Comparable }
  | { readonly field: string; readonly op: TextOperator; readonly value: string }
  | { readonly field: string; readonly in: readonly (string | number)[] }
  /** Holds where a value is there and is none of these. */
  | { readonly field: string; readonly notIn: readonly (string | number)[] }
  /** Holds when the row that the field `via` refers to exists in `resource` and satisfies `where`. */
  | { readonly via: string; readonly resource: string; readonly where: Condition };

/** Holds for every row. */
export const everything: Condition = { all: [] };
/** Holds for no row. */
export const nothing: Condition = { any: [] };

/** `field = value`, the condition used most. */
export const equals = (field: string, value: Comparable): Condition => ({ field, op: "eq", value });
