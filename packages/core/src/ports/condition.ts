/**
 * A value to compare a row's field with. Times are in the field's own text form (RFC 3339, UTC,
 * three decimals).
 */
export type Comparable = string | number | boolean | null;

export type ComparisonOperator = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

/**
 * Searches for a piece of text. The letters A to Z match a to z and the other way round; every
 * other character matches only itself, `%` and `_` too.
 */
export type TextOperator = "contains" | "starts_with";

/**
 * A condition on the rows of one resource. Access rules and filters consist of conditions. A memory
 * adapter evaluates them; a database adapter compiles them to a WHERE clause. Texts are compared
 * byte by byte, and in Unicode's form NFC if their field is unique or can be filtered by. `eq null`
 * means "is null", and `ne null` means "is not null". Every other comparison is false for a row that
 * has null in the field. `Name` lists the names of the resource's fields if they are known at
 * compile time.
 */
export type Condition<Name extends string = string> =
  | { readonly all: readonly Condition<Name>[] }
  | { readonly any: readonly Condition<Name>[] }
  | { readonly field: Name; readonly op: ComparisonOperator; readonly value: Comparable }
  | { readonly field: Name; readonly op: TextOperator; readonly value: string }
  | { readonly field: Name; readonly in: readonly (string | number)[] }
  /** Holds if the field has a value and it is none of these. */
  | { readonly field: Name; readonly notIn: readonly (string | number)[] }
  /** Holds if the row that the field `via` refers to exists in `resource` and satisfies `where`. */
  | { readonly via: Name; readonly resource: string; readonly where: Condition };

/** Holds for every row. */
export const everything: Condition<never> = { all: [] };
/** Holds for no row. */
export const nothing: Condition<never> = { any: [] };

/** `field = value`, the most frequent condition. */
export const equals = <Name extends string>(field: Name, value: Comparable): Condition<Name> => ({
  field,
  op: "eq",
  value,
});
