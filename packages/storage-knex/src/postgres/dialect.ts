import { jobStates, type Lease } from "@postern/core/ports";
import { asciiCaseless } from "../engine/ascii-caseless.ts";
import { chunksOf, idsOf, inOrderOf, quoted, type Session, type Statement } from "../engine/database.ts";
import {
  type AcceptedRow,
  type Claim,
  type ClaimedRow,
  claimedColumns,
  type Dialect,
  type EventRow,
  queueOrder,
  readyAbove,
  readyIn,
  runnerStates,
  runsByKey,
} from "../engine/dialect.ts";
import { fitsPattern } from "../engine/fits-pattern.ts";
import { onConflict } from "../engine/on-conflict.ts";
import { portionsOf } from "../engine/portions.ts";
import { queryBuilder } from "../engine/query-builder.ts";
import { TakenNumber } from "../engine/translate-error.ts";
import { inOrderOfKeys, type LockedHolders, takeBack } from "../server/other-keys.ts";
import { readyFloors } from "./ready-floors.ts";
import { anyTextOf, arrayOf, serverMicroseconds, unnested } from "./unnested.ts";

const acceptedColumns = "id, provider, dedupe_key, body_sha256, received_at";

const holdersOf = (session: Session, keys: readonly (readonly [string, string])[]): Promise<AcceptedRow[]> =>
  session.rows<AcceptedRow>(
    `SELECT ${acceptedColumns} FROM inbox_event
      WHERE (provider, dedupe_key) IN (SELECT * FROM unnest(CAST(? AS text[]), CAST(? AS text[])))`,
    [arrayOf(keys.map(([provider]) => provider)), arrayOf(keys.map(([, key]) => key))],
  );

/** The bounds of one statement that inserts events. */
const insertBounds = { rows: 1_000, bytes: 16 * 1024 * 1024 };

/** Inserts events. Returns the rows that hold their keys now, the new ones included. */
const insertSome = async (session: Session, columns: readonly string[], events: readonly EventRow[]) => {
  // The bodies of all rows are one value, and each row takes its piece.
  let end = 1;
  const pieces = events.map(({ body }) => {
    end += body.length;
    return [end - body.length, body.length] as const;
  });
  const rows = unnested(events.map(({ values }, index) => [...values, ...(pieces[index] ?? [])]));
  const [length = "", from = ""] = rows.expressions.toReversed();
  const own = rows.expressions.slice(0, -2);
  const held = await session.rows<AcceptedRow>(
    `INSERT INTO inbox_event (${quoted([...columns, "body"])})
     SELECT ${[...own, `substring(CAST(? AS bytea) FROM CAST(${from} AS integer) FOR CAST(${length} AS integer))`].join(", ")}
       FROM ${rows.from}
     ON CONFLICT (provider, dedupe_key) DO UPDATE SET repeats = inbox_event.repeats + excluded.repeats + 1
       WHERE inbox_event.id <> excluded.id
     RETURNING ${acceptedColumns}`,
    [Buffer.concat(events.map(({ body }) => body)), ...rows.values],
  );
  // No other event of the statement has the key.
  if (held.length < events.length) throw new TakenNumber("an event with the same key has the number of a new one");
  return held;
};

/** Inserts a row under each of the keys, and deletes it at once. */
const lockedHolders: LockedHolders = async (session, given, [first]) => {
  const keys = inOrderOf(given, (key) => key.join("\0"));
  const ids = keys.map((_, index) => -((first?.id ?? 0) * 100_000 + index));
  await session.run(
    `INSERT INTO inbox_event (id, provider, dedupe_key, body, headers, body_sha256, received_at, disposition, repeats)
     SELECT id, provider, dedupe_key, '', '', '', 0, 0, 0
       FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[])) AS probe(id, provider, dedupe_key)
     ON CONFLICT DO NOTHING`,
    [arrayOf(ids), arrayOf(keys.map(([provider]) => provider)), arrayOf(keys.map(([, key]) => key))],
  );
  await session.run("DELETE FROM inbox_event WHERE id = ANY(CAST(? AS bigint[]))", [arrayOf(ids)]);
  return holdersOf(session, keys);
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
  strayLookMs: 30_000,
  forgetReady: floors.forget,
  forUpdate: " FOR UPDATE",
  forShare: " FOR SHARE",
  latest: "",
  microseconds: () => ({ sql: serverMicroseconds, values: [] }),
  insertRows: async (session, { table, columns, timed }, rows) => {
    for (const chunk of chunksOf(rows, 1000)) {
      const { expressions, from, values } = unnested(chunk);
      const names = timed === undefined ? columns : [...columns, timed];
      const texts = timed === undefined ? expressions : [...expressions, serverMicroseconds];
      await session.run(`INSERT INTO ${table} (${quoted(names)}) SELECT ${texts.join(", ")} FROM ${from}`, values, {
        prepared: true,
      });
    }
  },
  anyOf: (column, ids) => ({ sql: `${column} = ANY(CAST(? AS bigint[]))`, values: [arrayOf(ids)] }),
  anyTextOf,
  bytesOf: (column) => `octet_length(${column})`,
  findsText: (column, op, piece) => ({
    sql: `${column} ~ ?`,
    values: [`${op === "contains" ? "" : "^"}${asciiCaseless(piece)}`],
  }),
  fitsPattern,
  findsBytes: (column, part) => ({ sql: `position(CAST(? AS bytea) IN ${column}) > 0`, values: [part] }),
  ...onConflict,
  serverTime: "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS now",
  insertEvents: async (session, columns, events) => {
    const rows: AcceptedRow[] = [];
    for (const portion of portionsOf(inOrderOfKeys(events), ({ body }) => body.length, insertBounds))
      rows.push(...(await insertSome(session, columns, portion)));
    return [...rows, ...(await takeBack(session, events, rows, lockedHolders))];
  },
  holdersOf,
  readyFloors: floors.of,
  findReady: async (database, claim) => ((await floors.look(database, claim)) ? [] : undefined),
  lockQueue: "INSERT INTO queue_limit (queue) VALUES (?) ON CONFLICT (queue) DO UPDATE SET queue = excluded.queue",
  takeReady: (session, claim) => {
    const { runnerId, lease, now, most } = claim;
    const picked = pick(claim, most, floors.of(claim));
    // The row of the runner is locked, so that it is not declared dead before the commit.
    return session.rows<ClaimedRow>(
      `WITH own AS (SELECT state FROM runner WHERE id = ? FOR SHARE),
       picked AS (${picked.sql})
       UPDATE job SET state = ${jobStates.running}, attempt = attempt + 1, runner = ?, lease = ?, started_at = ?
         FROM picked WHERE job.id = picked.picked_id
       RETURNING attempt, ${claimedColumns}`,
      [runnerId, ...picked.values, runnerId, lease, now],
    );
  },
  tookReady: floors.took,
  endPlain: (session, leases, now) =>
    session.rows<Lease>(
      `UPDATE job SET state = ${jobStates.done}, finished_at = ?, place = NULL, runner = NULL
         FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[])) AS held(id, lease)
        WHERE job.id = held.id AND job.lease = held.lease AND ${runsByKey}
          AND job.order_key IS NULL AND job.unique_key IS NULL
       RETURNING job.id, job.lease`,
      [now, arrayOf(idsOf(leases)), arrayOf(leases.map((each) => each.lease))],
    ),
});
