import { jobStates, type Lease } from "@postern/core/parts";
import { asciiCaseless } from "../ascii-caseless.ts";
import { chunksOf, quoted, type Session, type Statement } from "../database.ts";
import {
  type AcceptedRow,
  byKeyText,
  type Claim,
  type ClaimedRow,
  claimableOf,
  claimedColumns,
  countRunning,
  type Dialect,
  type EventRow,
  heldElsewhere,
  inQueueOrder,
  queueOrder,
  readyAbove,
  readyIn,
  runnerStates,
  runsByKey,
} from "../dialect.ts";
import { onConflict } from "../on-conflict.ts";
import { queryBuilder } from "../query-builder.ts";
import { readyFloors } from "./ready-floors.ts";
import { anyTextOf, arrayOf, serverMicroseconds, unnested } from "./unnested.ts";

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Batches that share keys insert them in the same order, so that one waits for the other. */
const byKey = ({ key: left }: EventRow, { key: right }: EventRow): number =>
  compare(left[0], right[0]) || compare(left[1], right[1]);

const acceptedColumns = "id, provider, dedupe_key, body_sha256, received_at";

const holdersOf = (session: Session, keys: readonly (readonly [string, string])[]): Promise<AcceptedRow[]> =>
  session.rows<AcceptedRow>(
    `SELECT ${acceptedColumns} FROM inbox_event
      WHERE (provider, dedupe_key) IN (SELECT * FROM unnest(CAST(? AS text[]), CAST(? AS text[])))`,
    [arrayOf(keys.map(([provider]) => provider)), arrayOf(keys.map(([, key]) => key))],
  );

/** Bytes of one statement that inserts events. */
const mostBytes = 16 * 1024 * 1024;

const portionsOf = (events: readonly EventRow[]): readonly (readonly EventRow[])[] => {
  const portions: EventRow[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const event of events) {
    if (bytes + event.body.length > mostBytes) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)?.push(event);
    bytes += event.body.length;
  }
  return portions;
};

/** Inserts events. Returns the rows that hold their keys now, the new ones included. */
const insertSome = (session: Session, columns: readonly string[], events: readonly EventRow[]) => {
  // The bodies of all rows are one value, and each row takes its piece.
  let end = 1;
  const pieces = events.map(({ body }) => {
    end += body.length;
    return [end - body.length, body.length] as const;
  });
  const rows = unnested(events.map(({ values }, index) => [...values, ...(pieces[index] ?? [])]));
  const [length = "", from = ""] = rows.expressions.toReversed();
  const own = rows.expressions.slice(0, -2);
  return session.rows<AcceptedRow>(
    `INSERT INTO inbox_event (${quoted([...columns, "body"])})
     SELECT ${[...own, `substring(CAST(? AS bytea) FROM CAST(${from} AS integer) FOR CAST(${length} AS integer))`].join(", ")}
       FROM ${rows.from}
     ON CONFLICT (provider, dedupe_key) DO UPDATE SET repeats = inbox_event.repeats + excluded.repeats + 1
     RETURNING ${acceptedColumns}`,
    [Buffer.concat(events.map(({ body }) => body)), ...rows.values],
  );
};

/**
 * Takes back the events that are stored under another key. Two callers may store one event at the
 * same moment, each under a key that the other looks up. So each inserts a row under the keys that it
 * looks up, and deletes it at once: that waits for the commit of the other, or both wait for each
 * other, and the server ends one of the two as a deadlock. To look first would let both through.
 */
const takeBack = async (session: Session, inserted: readonly EventRow[]): Promise<readonly AcceptedRow[]> => {
  const answers: AcceptedRow[] = [];
  for (const part of chunksOf(inserted, 80)) {
    const keys = part
      .flatMap(({ others }) => others.map(({ key }) => key))
      .toSorted((left, right) => compare(left[0], right[0]) || compare(left[1], right[1]));
    const ids = keys.map((_, index) => -((part[0]?.id ?? 0) * 100_000 + index));
    await session.run(
      `INSERT INTO inbox_event (id, provider, dedupe_key, body, headers, body_sha256, received_at, disposition, repeats)
       SELECT id, provider, dedupe_key, '', '', '', 0, 0, 0
         FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[])) AS probe(id, provider, dedupe_key)
       ON CONFLICT DO NOTHING`,
      [arrayOf(ids), arrayOf(keys.map(([provider]) => provider)), arrayOf(keys.map(([, key]) => key))],
    );
    await session.run("DELETE FROM inbox_event WHERE id = ANY(CAST(? AS bigint[]))", [arrayOf(ids)]);
    const rows = byKeyText(await holdersOf(session, keys));
    for (const event of part) {
      const holder = heldElsewhere(event, rows);
      if (holder === undefined) continue;
      await session.run("DELETE FROM inbox_event WHERE id = ?", [event.id]);
      await session.run("UPDATE inbox_event SET repeats = repeats + ? WHERE id = ?", [event.repeats + 1, holder.id]);
      answers.push(holder);
    }
  }
  return answers;
};

/** Which jobs a claim takes, and locks: `picked_id`. */
const pick = (claim: Claim, limit: number, floors: Statement | undefined): Statement => {
  const and = `NOT EXISTS (SELECT 1 FROM own WHERE own.state = ${runnerStates.dead})`;
  const lock = " FOR UPDATE SKIP LOCKED";
  if (floors === undefined) {
    const ready = readyIn({ anyTextOf }, claim);
    const sql = `SELECT id AS picked_id FROM job WHERE ${ready.sql} AND ${and} ORDER BY ${queueOrder} LIMIT ?${lock}`;
    return { sql, values: [...ready.values, limit] };
  }
  const ready = readyAbove({ anyTextOf }, claim, { columns: "id", limit, and, lock }, floors);
  return { sql: `SELECT ready.id AS picked_id FROM ${ready.sql} LIMIT ?`, values: [...ready.values, limit] };
};

/** Each database has its own, because it remembers where its ready jobs are. */
export const createPostgresDialect = (floors = readyFloors()): Dialect => ({
  name: "postgres",
  hasPartialIndexes: true,
  query: queryBuilder("pg"),
  // The second one runs while the first waits for a lock or for the disk.
  concurrentAccepts: 2,
  gatherAcceptsMs: 3,
  forUpdate: " FOR UPDATE",
  forShare: " FOR SHARE",
  latest: "",
  microseconds: () => ({ sql: serverMicroseconds, values: [] }),
  insertRows: async (session, { table, columns, timed }, rows) => {
    for (const chunk of chunksOf(rows, 1000)) {
      const { expressions, from, values } = unnested(chunk);
      const time =
        timed === undefined
          ? { columns: [], expressions: [] }
          : { columns: [timed], expressions: [serverMicroseconds] };
      await session.run(
        `INSERT INTO ${table} (${quoted([...columns, ...time.columns])})
         SELECT ${[...expressions, ...time.expressions].join(", ")} FROM ${from}`,
        values,
        { prepared: true },
      );
    }
  },
  anyOf: (column, ids) => ({ sql: `${column} = ANY(CAST(? AS bigint[]))`, values: [arrayOf(ids)] }),
  anyTextOf,
  bytesOf: (column) => `octet_length(${column})`,
  findsText: (column, op, piece) => ({
    sql: `${column} ~ ?`,
    values: [`${op === "contains" ? "" : "^"}${asciiCaseless(piece)}`],
  }),
  findsBytes: (column, part) => ({ sql: `position(CAST(? AS bytea) IN ${column}) > 0`, values: [part] }),
  ...onConflict,
  serverTime: "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS now",
  insertEvents: async (session, columns, events) => {
    const rows: AcceptedRow[] = [];
    for (const portion of portionsOf(events.toSorted(byKey)))
      rows.push(...(await insertSome(session, columns, portion)));
    const own = byKeyText(rows);
    const inserted = events.filter(({ id, key, others }) => others.length > 0 && own.get(key.join(" "))?.id === id);
    return inserted.length === 0 ? rows : [...rows, ...(await takeBack(session, inserted))];
  },
  holdersOf,
  readyFloors: floors.of,
  claim: async (database, claim) => {
    const { queue, limit, globalLimit, runnerId, now } = claim;
    if (!(await floors.look(database, claim))) return undefined;
    const lease = await claim.lease();
    const rows = await database.write(async (session) => {
      let most = limit;
      if (globalLimit !== undefined) {
        // Only one claim of the queue runs at a time. The row of the queue is the lock.
        await session.run(
          "INSERT INTO queue_limit (queue) VALUES (?) ON CONFLICT (queue) DO UPDATE SET queue = excluded.queue",
          [queue],
        );
        const [count] = await session.rows<{ running: number }>(countRunning, [queue]);
        most = claimableOf({ limit, globalLimit }, count?.running ?? 0);
      }
      const picked = pick(claim, most, floors.of(claim));
      // The row of the runner is locked, so a runner that is declared dead meanwhile gets no jobs
      // that nobody would take back.
      return session.rows<ClaimedRow>(
        `WITH own AS (SELECT state FROM runner WHERE id = ? FOR SHARE),
         picked AS (${picked.sql})
         UPDATE job SET state = ${jobStates.running}, attempt = attempt + 1, runner = ?, lease = ?, started_at = ?
           FROM picked WHERE job.id = picked.picked_id
         RETURNING attempt, ${claimedColumns}`,
        [runnerId, ...picked.values, runnerId, lease, now],
      );
    });
    // RETURNING promises no order.
    const inOrder = rows.toSorted(inQueueOrder);
    floors.took(claim, inOrder);
    return { lease, rows: inOrder };
  },
  endPlain: (session, leases, now) =>
    session.rows<Lease>(
      `UPDATE job SET state = ${jobStates.done}, finished_at = ?, place = NULL, runner = NULL
         FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[])) AS held(id, lease)
        WHERE job.id = held.id AND job.lease = held.lease AND ${runsByKey}
          AND job.order_key IS NULL AND job.unique_key IS NULL
       RETURNING job.id, job.lease`,
      [now, arrayOf(leases.map(({ id }) => id)), arrayOf(leases.map((each) => each.lease))],
    ),
});
