import type { Database, Statement } from "../engine/database.ts";
import { sharedReads, type WaitingRead } from "../engine/shared-reads.ts";

/** Statements that run at once. */
const mostRunning = 3;

/** The column that says which read a row answers. No column of a table begins with `$`. */
const place = "$place";

/** `SELECT` and what follows it, for each read, with its place in front of its columns. */
const sharedText = (sql: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `SELECT ${index} AS \`${place}\`, ${sql.slice("SELECT ".length)}`).join(
    " UNION ALL ",
  );

/** A row of these columns only. To delete the place from the row itself would make every later use of it slow. */
const withColumns = (row: Readonly<Record<string, unknown>>, columns: readonly string[]): object => {
  const kept: Record<string, unknown> = {};
  for (const column of columns) kept[column] = row[column];
  return kept;
};

/**
 * Shares statements between reads of one row each that arrive in the same moment. On MySQL and
 * MariaDB, such a read costs the server little. To send a statement and to take its answer costs
 * both sides several times as much (docs/performance/storage.md). A read that comes alone is
 * sent as it is.
 */
export const sharedRows = (read: Database["read"]): Database["selectOne"] => {
  const rowsOf = async (
    sql: string,
    batch: readonly WaitingRead<object | undefined>[],
  ): Promise<readonly (object | undefined)[]> => {
    const [only] = batch;
    if (only !== undefined && batch.length === 1) return read((session) => session.rows(sql, only.values));
    const values = batch.flatMap((waiting) => waiting.values);
    const text = sharedText(sql, batch.length);
    const rows = await read((session) => session.rows<Record<string, unknown>>(text, values));
    const found: (object | undefined)[] = Array(batch.length).fill(undefined);
    for (const row of rows) {
      const index = Number(row[place]);
      found[index] = withColumns(row, batch[index]?.columns ?? []);
    }
    return found;
  };
  const select = sharedReads<object | undefined>(mostRunning, async (sql, batch) => {
    const rows = await rowsOf(sql, batch);
    for (const [index, { resolve }] of batch.entries()) resolve(rows[index]);
  });
  // The row has the columns that the caller named.
  return <Row extends object>(statement: Statement, columns: readonly string[]) =>
    select(statement, columns) as Promise<Row | undefined>;
};
