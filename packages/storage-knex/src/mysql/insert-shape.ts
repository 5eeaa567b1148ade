import type { InsertRow } from "../engine/dialect.ts";
import { portionsOf } from "../engine/portions.ts";

/**
 * The bounds of one INSERT. The server's `max_allowed_packet` is 16 MiB or more, unless somebody has
 * lowered it.
 */
const insertBounds = { rows: 64, bytes: 3 * 1024 * 1024 };

/**
 * How many rows one INSERT may have. Each number is a text of its own, which the server keeps for
 * each connection, at about 6 kB a row. Few texts take little of its memory. Any number of rows up
 * to 64 takes one statement or two.
 */
const insertSizes = [64, 56, 48, 40, 32, 24, 16, 8, 7, 6, 5, 4, 3, 2, 1];

/** About how many bytes a row takes in a statement. */
export const bytesOf = (row: InsertRow): number =>
  row.reduce<number>(
    (sum, value) => sum + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  );

/** Splits rows into pieces that each fit into one statement. */
export const insertChunks = <Row>(rows: readonly Row[], sizeOf: (row: Row) => number): readonly (readonly Row[])[] =>
  portionsOf(rows, sizeOf, insertBounds, (fits) => insertSizes.find((size) => size <= fits) ?? 1);

/** How the rows of an INSERT are written. */
interface InsertShape {
  readonly columns: readonly string[];
  /** What stands for each column in a row of VALUES. */
  readonly expressions: readonly string[];
  /** The values that a row binds. */
  readonly valuesOf: (row: InsertRow) => InsertRow;
}

/**
 * Binds as few values as possible, because each costs the driver and the server time, and memory in
 * a statement that the server keeps. A column that is NULL in all rows is left out, because it is
 * NULL then. A 0 that all rows share stands in the text.
 */
export const shapeOf = (columns: readonly string[], rows: readonly InsertRow[]): InsertShape => {
  const isAlways = (at: number, value: null | 0) => rows.every((row) => row[at] === value);
  const kept = columns.flatMap((_, at) => (isAlways(at, null) ? [] : [{ at, isZero: isAlways(at, 0) }]));
  const bound = kept.flatMap(({ at, isZero }) => (isZero ? [] : [at]));
  return {
    columns: kept.map(({ at }) => columns[at] ?? ""),
    expressions: kept.map(({ isZero }) => (isZero ? "0" : "?")),
    valuesOf: (row) => bound.map((at) => row[at] ?? null),
  };
};
