import { jobStates } from "@postern/core/ports";
import { asciiCaseless } from "../engine/ascii-caseless.ts";
import { idsOf, placeholders, quoted, readRows, type Session } from "../engine/database.ts";
import {
  type AcceptedRow,
  type ClaimedRow,
  claimedColumns,
  type Dialect,
  type EventRow,
  queueOrder,
  readyIn,
  runnerStates,
} from "../engine/dialect.ts";
import { fitsPattern } from "../engine/fits-pattern.ts";
import { queryBuilder } from "../engine/query-builder.ts";
import { isTaken, TakenNumber } from "../engine/translate-error.ts";
import { inOrderOfKeys, type LockedHolders, takeBack } from "../server/other-keys.ts";
import { bytesOf, insertChunks, shapeOf } from "./insert-shape.ts";

/** Lists ids for the text of a statement. Only whole numbers are allowed, so this is safe. */
const listOf = (ids: readonly number[]): string => {
  const stray = ids.find((id) => !Number.isSafeInteger(id));
  if (stray !== undefined) throw new TypeError(`an id is a whole number, not ${stray}`);
  return ids.length === 0 ? "NULL" : ids.toSorted((left, right) => left - right).join(", ");
};

const byNumber = ({ id: left }: EventRow, { id: right }: EventRow): number => left - right;

/**
 * The events that hold these keys. Keys are stored as bytes, so that no collation treats two of
 * them as equal.
 */
const holdersOf = (session: Session, keys: readonly (readonly [string, string])[], lock = ""): Promise<AcceptedRow[]> =>
  session.rows<AcceptedRow>(
    `SELECT id, provider, CONVERT(dedupe_key USING utf8mb4) AS dedupe_key, body_sha256, received_at FROM inbox_event
      WHERE ${keys.map(() => "(provider = ? AND dedupe_key = ?)").join(" OR ")}${lock}`,
    keys.flat(),
  );

const lockedHolders: LockedHolders = (session, keys) => holdersOf(session, keys, " LOCK IN SHARE MODE");

/**
 * How many candidates to read for each wanted job, because other runners may take some of them
 * first.
 */
const candidatesPerJob = 4;

/**
 * Locks the best of the candidates that nobody else holds. It locks by primary key, as every other
 * write does, and in the order of the ids. The usual `SELECT … WHERE state … FOR UPDATE` locks the
 * secondary index first, so in the other order, which is a known cause of deadlocks.
 */
const lockCandidates = async (
  session: Session,
  candidates: readonly number[],
  limit: number,
): Promise<ClaimedRow[]> => {
  const locked: ClaimedRow[] = [];
  let rest = candidates;
  while (locked.length < limit && rest.length > 0) {
    const best = rest.slice(0, limit - locked.length);
    rest = rest.slice(best.length);
    locked.push(
      ...(await session.rows<ClaimedRow>(
        `SELECT attempt + 1 AS attempt, ${claimedColumns}
           FROM job FORCE INDEX (PRIMARY)
          WHERE id IN (${listOf(best)}) AND state = ${jobStates.ready} ORDER BY id FOR UPDATE SKIP LOCKED`,
      )),
    );
  }
  return locked;
};

/**
 * The time at which the statement began. It does not go through the local time of the session, whose
 * hour at the end of summer comes twice.
 */
const serverMicroseconds = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

/**
 * The value for a row that the key of a new one has found. `ON DUPLICATE KEY UPDATE` is also done for a
 * row with the new one's number, which is not meant: then the statement fails, in any mode of SQL,
 * because no number is larger than `~0`.
 */
const unlessTaken = (isSame: string, value: string): string => `IF(id <> VALUES(id) AND ${isSame}, ${value}, ~0 + id)`;

export const mysqlDialect: Dialect = {
  name: "mysql",
  hasPartialIndexes: false,
  typeHash: (type) => mysqlDialect.query.raw("CRC32(?)", [type]),
  query: queryBuilder("mysql2"),
  // The second one runs while the first waits for a lock or for the disk.
  concurrentAccepts: 2,
  // Server and driver together spend half as much on an event in a commit of 64 as on one in a
  // commit of 16.
  gatherAcceptsMs: 3,
  strayLookMs: 30_000,
  forUpdate: " FOR UPDATE",
  forShare: " LOCK IN SHARE MODE",
  latest: " LOCK IN SHARE MODE",
  microseconds: () => ({ sql: serverMicroseconds, values: [] }),
  insertRows: async (session, { table, columns, timed }, rows) => {
    const shape = shapeOf(columns, rows);
    const names = timed === undefined ? shape.columns : [...shape.columns, timed];
    const row = `(${[...shape.expressions, ...(timed === undefined ? [] : [serverMicroseconds])].join(", ")})`;
    for (const chunk of insertChunks(rows, bytesOf)) {
      const insert = session.run(
        `INSERT INTO ${table} (${quoted(names)}) VALUES ${Array(chunk.length).fill(row).join(", ")}`,
        chunk.flatMap(shape.valuesOf),
        { prepared: true },
      );
      // MariaDB does not name the table in its error.
      await insert.catch((thrown: unknown) => {
        throw isTaken(thrown) && thrown.column === "id" ? new TakenNumber(`a row of ${table} has it`) : thrown;
      });
    }
  },
  anyOf: (column, ids) => ({ sql: `${column} IN (${listOf(ids)})`, values: [] }),
  anyTextOf: (column, texts) =>
    texts.length === 0
      ? { sql: "1 = 0", values: [] }
      : { sql: `${column} IN (${texts.map(() => "?").join(", ")})`, values: texts },
  bytesOf: (column) => `LENGTH(${column})`,
  // LIKE would compare by the column's collation, which is bytewise. LOWER would change far more
  // letters than SQLite does.
  findsText: (column, op, piece) => ({
    sql: `${column} REGEXP ?`,
    values: [`${op === "contains" ? "" : "^"}${asciiCaseless(piece)}`],
  }),
  fitsPattern,
  // Bytes have no collation.
  findsBytes: (column, part) => ({ sql: `INSTR(${column}, ?) > 0`, values: [part] }),
  reserve: async (session, sequence, count) => {
    const { changed, insertId } = await session.run(
      "UPDATE id_block SET next = LAST_INSERT_ID(next + ?) WHERE name = ?",
      [count, sequence],
    );
    if (changed === 0) throw new Error(`the sequence "${sequence}" is missing: the database is not migrated`);
    return insertId - count;
  },
  // Not INSERT IGNORE, which also swallows truncation and missing values.
  insertUnlessTaken: (table, columns, key, rows = 1) =>
    `INSERT INTO ${table} (${quoted(columns)}) VALUES ${placeholders(rows, columns.length)} ON DUPLICATE KEY UPDATE ${key} = ${key}`,
  insertUnique: (columns, rows) =>
    `INSERT INTO job (${quoted(columns)}) VALUES ${placeholders(rows, columns.length)}
     ON DUPLICATE KEY UPDATE unique_key = ${unlessTaken("unique_key = VALUES(unique_key)", "unique_key")}`,
  // MySQL, unlike MariaDB, returns no rows of an INSERT.
  lockLanes: async (session, lanes) => {
    await session.run(
      `INSERT INTO lane (order_key, head_job, last_place) VALUES ${placeholders(lanes.length, 3)}
       ON DUPLICATE KEY UPDATE last_place = last_place + VALUES(last_place),
         head_job = CASE WHEN head_job = 0 THEN VALUES(head_job) ELSE head_job END`,
      lanes.flatMap(({ key, first, places }) => [key, first, places]),
    );
    const keys = lanes.map(({ key }) => key);
    return session.rows(
      `SELECT order_key, head_job, last_place FROM lane WHERE order_key IN (${keys.map(() => "?").join(", ")})`,
      keys,
    );
  },
  serverTime: `SELECT ${serverMicroseconds} DIV 1000 AS now`,
  insertEvents: async (session, columns, events) => {
    // Insert in the order of the numbers: any other order leaves a third of each page empty. Two
    // batches that share several keys can then deadlock, which is rare. A repeated run inserts in
    // the order of the keys, so that such batches wait for each other.
    const sorted = session.isRepeat ? inOrderOfKeys(events) : events.toSorted(byNumber);
    const shape = shapeOf(
      columns,
      events.map(({ values }) => values),
    );
    const row = `(${[...shape.expressions, "?"].join(", ")})`;
    const answers: AcceptedRow[] = [];
    for (const chunk of insertChunks(sorted, ({ values, body }) => bytesOf(values) + body.length)) {
      const { changed } = await session.run(
        `INSERT INTO inbox_event (${quoted([...shape.columns, "body"])}) VALUES ${Array(chunk.length).fill(row).join(", ")}
         ON DUPLICATE KEY UPDATE repeats = ${unlessTaken("provider = VALUES(provider) AND dedupe_key = VALUES(dedupe_key)", "repeats + VALUES(repeats) + 1")}`,
        chunk.flatMap(({ values, body }) => [...shape.valuesOf(values), body]),
        { prepared: true },
      );
      // The server counts a new row once and a repeat twice. So nothing more needs to be read if
      // all rows were new.
      if (changed === chunk.length) continue;
      const keys = chunk.map(({ key }) => key);
      answers.push(...(await holdersOf(session, keys)));
    }
    return [...answers, ...(await takeBack(session, events, answers, lockedHolders))];
  },
  holdersOf,
  findReady: async (database, claim) => {
    const ready = readyIn(mysqlDialect, claim);
    const found = await readRows<{ id: number }>(
      database,
      `SELECT id FROM job WHERE ${ready.sql} ORDER BY ${queueOrder} LIMIT ${claim.limit * candidatesPerJob}`,
      ready.values,
    );
    return found.length === 0 ? undefined : idsOf(found);
  },
  lockQueue: "INSERT INTO queue_limit (queue) VALUES (?) ON DUPLICATE KEY UPDATE queue = queue",
  takeReady: async (session, { runnerId, lease, now, most }, candidates) => {
    const lock = "SELECT state FROM runner WHERE id = ? LOCK IN SHARE MODE";
    const [runner] = await session.rows<{ state: number }>(lock, [runnerId]);
    if (runner?.state === runnerStates.dead) return [];
    const rows = await lockCandidates(session, candidates, most);
    if (rows.length === 0) return rows;
    await session.run(
      `UPDATE job SET state = ${jobStates.running}, attempt = attempt + 1, runner = ?, lease = ?, started_at = ?
        WHERE id IN (${listOf(idsOf(rows))})`,
      [runnerId, lease, now],
    );
    return rows;
  },
};
