import { placeholders, quoted } from "./database.ts";
import type { Dialect } from "./dialect.ts";

/** Statements that SQLite and PostgreSQL spell alike, with `ON CONFLICT` and `RETURNING`. */
export const onConflict: Pick<Dialect, "reserve" | "insertUnlessTaken" | "insertUnique" | "lockLanes"> = {
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
  insertUnique: (columns, rows) =>
    `INSERT INTO job (${quoted(columns)}) VALUES ${placeholders(rows, columns.length)}
     ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING`,
  lockLanes: (session, lanes) =>
    session.rows(
      `INSERT INTO lane (order_key, head_job, last_place) VALUES ${placeholders(lanes.length, 3)}
       ON CONFLICT (order_key) DO UPDATE SET last_place = lane.last_place + excluded.last_place,
         head_job = CASE WHEN lane.head_job = 0 THEN excluded.head_job ELSE lane.head_job END
       RETURNING order_key, head_job, last_place`,
      lanes.flatMap(({ key, first, places }) => [key, first, places]),
    ),
};
