/** How many of these sizes, counted from the first one, are together at most `most`; at least one. */
export const fitting = (sizes: readonly number[], most: number): number => {
  let sum = 0;
  const over = sizes.findIndex((size, index) => {
    sum += size;
    return index > 0 && sum > most;
  });
  return over === -1 ? sizes.length : over;
};

interface Bounds {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * What one transaction deletes at most. On SQLite, every other writer waits for its end: large
 * values stand in chains of pages, each of which is read before it is free.
 */
export const deletedAtOnce: Bounds = { rows: 200, bytes: 4 * 1024 * 1024 };

/**
 * Divides rows into portions within the bounds. A row that is longer than the bound is a portion by
 * itself. `lengthOf` may take fewer rows than would fit, but at least one.
 */
export const portionsOf = <Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number,
  { rows: most, bytes }: Bounds,
  lengthOf = (fits: number): number => fits,
): readonly (readonly Row[])[] => {
  const sizes = rows.map(bytesOf);
  const portions: (readonly Row[])[] = [];
  for (let from = 0; from < rows.length; from += portions.at(-1)?.length ?? 1) {
    portions.push(rows.slice(from, from + lengthOf(fitting(sizes.slice(from, from + most), bytes))));
  }
  return portions;
};
