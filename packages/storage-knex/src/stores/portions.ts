/**
 * What one transaction deletes at most. On SQLite, every other writer waits for its end: large
 * values stand in chains of pages, each of which is read before it is free.
 */
const most = { rows: 200, bytes: 4 * 1024 * 1024 };

/**
 * Divides rows that are to be deleted into portions, each for a transaction of its own. `bytes` is
 * the length of the row's large value. A row that is longer than the bound is a portion by itself.
 */
export const portionsOf = <Row extends { readonly bytes: number }>(
  rows: readonly Row[],
): readonly (readonly Row[])[] => {
  const portions: Row[][] = [];
  let portion: Row[] = [];
  let left = 0;
  for (const row of rows) {
    if (portion.length === 0 || portion.length >= most.rows || row.bytes > left) {
      portion = [];
      portions.push(portion);
      left = most.bytes;
    }
    portion.push(row);
    left -= row.bytes;
  }
  return portions;
};
