import { chunksOf, placeholders, quoted } from "../database.ts";
import type { AcceptedRow, ClaimedRow, Dialect, InsertRow } from "../dialect.ts";

/** Rows per INSERT: fixed sizes, so that each statement is prepared once and no batch waits for SQLite's parser. */
const insertSizes = [128, 32, 8, 2, 1];

const insertChunks = (rows: readonly InsertRow[]): readonly (readonly InsertRow[])[] => {
  const chunks: (readonly InsertRow[])[] = [];
  let rest = rows;
  for (const size of insertSizes) {
    const whole = rest.slice(0, rest.length - (rest.length % size));
    chunks.push(...chunksOf(whole, size));
    rest = rest.slice(whole.length);
  }
  return chunks;
};

export const sqliteDialect: Dialect = {
  name: "sqlite",
  // The only writer there is needs no locks.
  forUpdate: "",
  insertChunks,
  anyOf: (column, ids) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(ids)],
  }),
  reserve: async (session, sequence, count) => {
    const [row] = await session.rows<{ next: number }>(
      "UPDATE id_block SET next = next + ? WHERE name = ? RETURNING next",
      [count, sequence],
    );
    if (row === undefined) throw new Error(`the sequence "${sequence}" is missing: the database is not migrated`);
    return row.next - count;
  },
  insertUnlessTaken: (table, columns, key) =>
    `INSERT INTO ${table} (${quoted(columns)}) VALUES ${placeholders(1, columns.length)} ON CONFLICT (${key}) DO NOTHING`,
  insertEvents: async (session, columns, rows) => {
    const answers: AcceptedRow[] = [];
    for (const chunk of insertChunks(rows)) {
      answers.push(
        ...(await session.rows<AcceptedRow>(
          `INSERT INTO inbox_event (${quoted(columns)}) VALUES ${placeholders(chunk.length, columns.length)}
           ON CONFLICT (provider, dedupe_key) DO UPDATE SET repeats = repeats + excluded.repeats + 1
           RETURNING id, provider, dedupe_key, body_sha256`,
          chunk.flat(),
        )),
      );
    }
    return answers;
  },
  claim: async (database, { queue, limit, runnerId, now, lease: takeLease }) => {
    const waiting = await database.read((session) =>
      session.rows("SELECT id FROM job WHERE state = 0 AND queue = ? LIMIT 1", [queue]),
    );
    if (waiting.length === 0) return undefined;
    const lease = await takeLease();
    const rows = await database.write((session) =>
      session.rows<ClaimedRow>(
        `UPDATE job SET state = 2, attempt = attempt + 1, runner = ?, lease = ?, started_at = ?
          WHERE id IN (SELECT id FROM job WHERE state = 0 AND queue = ? ORDER BY priority, id LIMIT ?)
            AND NOT EXISTS (SELECT 1 FROM runner WHERE id = ? AND state = 1)
         RETURNING id, event_ref, kind, attempt, max_attempts, losses, priority, payload, created_at`,
        [runnerId, lease, now, queue, limit, runnerId],
      ),
    );
    // RETURNING promises no order.
    return { lease, rows: rows.toSorted((left, right) => left.priority - right.priority || left.id - right.id) };
  },
};
