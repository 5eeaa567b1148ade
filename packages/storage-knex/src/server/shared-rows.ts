import { AppError } from "@postern/core";
import { checkValues, type Database, type Statement, type Value } from "../database.ts";

/** Most reads of one shape that one statement answers. */
const mostShared = 32;
/**
 * Statements that run at once. Reads that come meanwhile wait, and share the next one. So the more
 * reads come, the fewer statements each needs.
 */
const mostRunning = 3;

/** The column that says which read a row answers. No column of a table begins with `$`. */
const place = "$place";

interface Waiting {
  readonly values: readonly Value[];
  readonly columns: readonly string[];
  readonly resolve: (row: object | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** The waiting reads with the same text. */
interface Shape {
  readonly sql: string;
  readonly waiting: Waiting[];
}

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
  const shapes = new Map<string, Shape>();
  let running = 0;
  let scheduled = false;

  const rowsOf = async (sql: string, batch: readonly Waiting[]): Promise<readonly (object | undefined)[]> => {
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

  const run = async (sql: string, batch: readonly Waiting[]): Promise<void> => {
    running += 1;
    try {
      const rows = await rowsOf(sql, batch);
      for (const [index, { resolve }] of batch.entries()) resolve(rows[index]);
    } catch (thrown) {
      const isAway = thrown instanceof AppError && thrown.code === "unavailable";
      // One of the reads may be at fault, or have taken all of the time. Run each alone.
      if (batch.length > 1 && !isAway) for (const waiting of batch) void run(sql, [waiting]);
      else for (const { reject } of batch) reject(thrown);
    } finally {
      running -= 1;
      start();
    }
  };

  /** Starts waiting reads, the oldest shape first. */
  const start = (): void => {
    for (const [sql, shape] of shapes) {
      if (running >= mostRunning) return;
      const batch = shape.waiting.splice(0, mostShared);
      if (shape.waiting.length === 0) shapes.delete(sql);
      void run(sql, batch);
    }
  };

  return <Row extends object>({ sql, values }: Statement, columns: readonly string[]) =>
    new Promise<Row | undefined>((resolve, reject) => {
      checkValues(values);
      const shape = shapes.get(sql) ?? { sql, waiting: [] };
      shapes.set(sql, shape);
      // The row has the columns that the caller named.
      shape.waiting.push({ values, columns, resolve: (row) => resolve(row as Row | undefined), reject });
      if (scheduled) return;
      scheduled = true;
      // Start after everything else that has already arrived.
      setImmediate(() => {
        scheduled = false;
        start();
      });
    });
};
