import { chunksOf, placeholders, quoted } from "../database.ts";
import {
  type AcceptedRow,
  type ClaimedRow,
  countRunning,
  type Dialect,
  readyIn,
  readyValues,
  roomOf,
} from "../dialect.ts";

/**
 * Events per INSERT. Each number of them is a statement of its own, prepared once and kept. A statement costs a trip to another thread, and each value that
 * is bound costs time on this one: so few statements, and all values but the bytes of one row in one JSON text.
 */
const largestInsert = 64;

/** The members of a JSON array as columns; numbers, texts and null come out as what they went in. */
const members = (json: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${json} ->> ${index}`).join(", ");

export const sqliteDialect: Dialect = {
  name: "sqlite",
  // There is one writer.
  concurrentAccepts: 1,
  // It needs no locks.
  forUpdate: "",
  forShare: "",
  insertRows: async (session, table, columns, rows) => {
    if (rows.length === 0) return;
    await session.run(
      `INSERT INTO ${table} (${quoted(columns)}) SELECT ${members("value", columns.length)} FROM json_each(?)`,
      [JSON.stringify(rows)],
    );
  },
  anyOf: (column, ids) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(ids)],
  }),
  anyTextOf: (column, texts) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(texts)],
  }),
  // LIKE folds the case of ASCII letters, and of these alone.
  findsText: (column, op, piece) => {
    const literal = piece.replaceAll(/[\\%_]/g, "\\$&");
    return { sql: `${column} LIKE ? ESCAPE '\\'`, values: [`${op === "contains" ? "%" : ""}${literal}%`] };
  },
  reserve: async (session, sequence, count) => {
    const [row] = await session.rows<{ next: number }>(
      "UPDATE id_block SET next = next + ? WHERE name = ? RETURNING next",
      [count, sequence],
    );
    if (row === undefined) throw new Error(`the sequence "${sequence}" is missing: the database is not migrated`);
    return row.next - count;
  },
  insertUnlessTaken: (table, columns, _key, rows = 1) =>
    `INSERT INTO ${table} (${quoted(columns)}) VALUES ${placeholders(rows, columns.length)} ON CONFLICT DO NOTHING`,
  insertEvents: async (session, columns, rows) => {
    const answers: AcceptedRow[] = [];
    const body = columns.indexOf("body");
    const others = columns.filter((_, index) => index !== body);
    for (const chunk of chunksOf(rows, largestInsert)) {
      answers.push(
        ...(await session.rows<AcceptedRow>(
          `INSERT INTO inbox_event (${quoted([...others, "body"])})
           SELECT ${members("column1", others.length)}, column2 FROM (VALUES ${placeholders(chunk.length, 2)}) WHERE true
           ON CONFLICT (provider, dedupe_key) DO UPDATE SET repeats = repeats + excluded.repeats + 1
           RETURNING id, provider, dedupe_key, body_sha256`,
          chunk.flatMap((row) => [JSON.stringify(row.toSpliced(body, 1)), row[body] ?? null]),
        )),
      );
    }
    return answers;
  },
  holdersOf: (session, keys) =>
    session.rows<AcceptedRow>(
      `SELECT id, provider, dedupe_key, body_sha256 FROM inbox_event
        WHERE ${keys.map(() => "(provider = ? AND dedupe_key = ?)").join(" OR ")}`,
      keys.flat(),
    ),
  claim: async (database, claim) => {
    const { queue, limit, globalLimit, runnerId, now } = claim;
    const waiting = await database.read((session) =>
      session.rows(`SELECT id FROM job WHERE ${readyIn(claim)} LIMIT 1`, readyValues(claim)),
    );
    if (waiting.length === 0) return undefined;
    const lease = await claim.lease();
    const rows = await database.write(async (session) => {
      // There is one writer, so nobody claims between the two.
      const [count] = globalLimit === undefined ? [] : await session.rows<{ running: number }>(countRunning, [queue]);
      return session.rows<ClaimedRow>(
        `UPDATE job SET state = 2, attempt = attempt + 1, runner = ?, lease = ?, started_at = ?
          WHERE id IN (SELECT id FROM job WHERE ${readyIn(claim)} ORDER BY priority, id LIMIT ?)
            AND NOT EXISTS (SELECT 1 FROM runner WHERE id = ? AND state = 1)
         RETURNING id, event_ref, kind, attempt, max_attempts, losses, priority, payload, created_at`,
        [runnerId, lease, now, ...readyValues(claim), roomOf({ limit, globalLimit }, count?.running ?? 0), runnerId],
      );
    });
    // RETURNING promises no order.
    return { lease, rows: rows.toSorted((left, right) => left.priority - right.priority || left.id - right.id) };
  },
};
