import type { Dialect, InsertRow } from "../engine/dialect.ts";
import type { Value } from "../engine/session.ts";

/** A text as a member of an array in a statement. */
const member = (value: Value | undefined): string => {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "number" ? String(value) : `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`;
};

/** Values of one type as the text of an array. */
export const arrayOf = (values: readonly (Value | undefined)[]): string => `{${values.map(member).join(",")}}`;

export const anyTextOf: Dialect["anyTextOf"] = (column, texts) => ({
  sql: `${column} = ANY(CAST(? AS text[]))`,
  values: [arrayOf(texts)],
});

/** The time at which the statement began. */
export const serverMicroseconds = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint)";

/** Rows as one value for each column, so that any number of rows has the same statement. */
interface Unnested {
  /** What selects the columns, in their order. */
  readonly expressions: readonly string[];
  /** What they are selected from. */
  readonly from: string;
  readonly values: readonly Value[];
}

/** `rows` have at least one row, and hold no bytes. */
export const unnested = (rows: readonly InsertRow[]): Unnested => {
  const [first = []] = rows;
  const arrays: string[] = [];
  const values: Value[] = [];
  const expressions = first.map((_, column) => {
    const filled = rows.find((row) => row[column] !== null)?.[column];
    // Nothing says which type it has.
    if (filled === undefined) return "NULL";
    arrays.push(`CAST(? AS ${typeof filled === "number" ? "bigint" : "text"}[])`);
    values.push(arrayOf(rows.map((row) => row[column])));
    return `given.v${arrays.length}`;
  });
  const names = arrays.map((_, index) => `v${index + 1}`).join(", ");
  return { expressions, from: `unnest(${arrays.join(", ")}) AS given(${names})`, values };
};
