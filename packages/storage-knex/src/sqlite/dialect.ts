import { jobStates, type Lease } from "@postern/core/ports";
import { quoted, readRows, type Session, type Value } from "../engine/database.ts";
import {
  byKeyText,
  type ClaimedRow,
  claimedColumns,
  type Dialect,
  type EventRow,
  heldElsewhere,
  type InsertRow,
  queueOrder,
  readyIn,
  runnerStates,
} from "../engine/dialect.ts";
import { onConflict } from "../engine/on-conflict.ts";
import { queryBuilder } from "../engine/query-builder.ts";
import { TakenNumber } from "../engine/translate-error.ts";
import type { SqliteEventKeys } from "./event-keys.ts";

/**
 * How far the precise time may be from the wall clock, in ms. The wall clock counts whole
 * milliseconds.
 */
const mostDriftMs = 3;

let origin = performance.timeOrigin;

/**
 * The machine's time in microseconds since the epoch. All processes on one SQLite file share it. It
 * follows the wall clock when that is set.
 */
const machineMicroseconds = (): number => {
  const wall = Date.now();
  if (Math.abs(origin + performance.now() - wall) > mostDriftMs) origin = wall - performance.now();
  return Math.floor((origin + performance.now()) * 1000);
};

/** The rows of an INSERT … SELECT from `json_each(?)`, with one text for any number of them. */
interface Rows {
  /** The columns, in the order of the expressions. */
  readonly columns: readonly string[];
  /** The expressions to select for them. */
  readonly expressions: readonly string[];
  /** The values that the expressions bind. */
  readonly shared: readonly Value[];
  /** The text for `json_each`. */
  readonly json: string;
}

/**
 * Writes rows as one JSON text. Every bound value costs time on this thread, and every member of
 * JSON costs time on SQLite's. So a value that is the same in all rows is bound once, and the rest
 * goes into the text. Numbers, texts and null stay what they are; bytes are not allowed. The
 * members of `before` come before those of each row.
 */
const rowsAsJson = (columns: readonly string[], rows: readonly InsertRow[], before?: readonly InsertRow[]): Rows => {
  const [first = []] = rows;
  const offset = before?.[0]?.length ?? 0;
  const sharedColumns: string[] = [];
  const shared: Value[] = [];
  const ownColumns: string[] = [];
  const own: number[] = [];
  for (const [at, column] of columns.entries()) {
    let isShared = true;
    for (const row of rows) if (row[at] !== first[at]) isShared = false;
    if (isShared) {
      sharedColumns.push(column);
      shared.push(first[at] ?? null);
    } else {
      ownColumns.push(column);
      own.push(at);
    }
  }
  const expressions: string[] = new Array(shared.length).fill("?");
  for (const place of own.keys()) expressions.push(`value ->> ${offset + place}`);
  const members: InsertRow[] = [];
  for (const [index, row] of rows.entries()) members.push(membersOf(row, own, before?.[index]));
  return { columns: [...sharedColumns, ...ownColumns], expressions, shared, json: JSON.stringify(members) };
};

/**
 * Uses one array of the right length, and numbers its members. Spreading took 1.2 kB more for each
 * event, an array that grows 0.3 kB, and iterators 0.1 kB.
 */
const membersOf = (row: InsertRow, own: readonly number[], before: InsertRow = []): InsertRow => {
  const members = new Array<Value>(before.length + own.length);
  for (let at = 0; at < before.length; at += 1) members[at] = before[at] ?? null;
  for (let at = 0; at < own.length; at += 1) members[before.length + at] = row[own[at] ?? -1] ?? null;
  return members;
};

/** Adds repeats to the events that hold the keys. */
const countRepeats = async (session: Session, repeated: readonly (readonly [holder: number, times: number])[]) =>
  session.run(
    `UPDATE inbox_event SET repeats = repeats + (more.value ->> 1) FROM json_each(?) AS more
      WHERE inbox_event.id = more.value ->> 0`,
    [JSON.stringify(repeated)],
  );

const insertNew = async (session: Session, columns: readonly string[], events: readonly EventRow[]) => {
  // The bodies of all rows are bound as one value, and each row takes its piece.
  let end = 1;
  const pieces: InsertRow[] = [];
  const bodies: Uint8Array[] = [];
  const values: InsertRow[] = [];
  for (const event of events) {
    pieces.push([end, event.body.length]);
    bodies.push(event.body);
    values.push(event.values);
    end += event.body.length;
  }
  const rows = rowsAsJson(columns, values, pieces);
  await session.later(
    `INSERT INTO inbox_event (${quoted([...rows.columns, "body"])})
     SELECT ${[...rows.expressions, "ifnull(substr(?, value ->> 0, value ->> 1), x'')"].join(", ")}
       FROM json_each(?)`,
    [...rows.shared, Buffer.concat(bodies), rows.json],
  );
};

/**
 * If the row does not satisfy the condition, its first reference becomes a text that is no row's
 * id. One statement thus does what took two, and a refused row has not been written. There is one
 * writer, so nothing can change between the condition and the insert.
 */
const insertReferring: Dialect["insertReferring"] = ({ table, columns, references, isThere }) => {
  const given = (column: string): string => `?${columns.indexOf(column) + 1}`;
  const known = ["id", ...references].map((column) => `${given(column)} AS \`${column}\``).join(", ");
  const checked = (column: string): string =>
    `CASE WHEN EXISTS (SELECT 1 FROM (SELECT ${known}) AS \`${table}\` WHERE ${isThere}) THEN ${given(column)} ELSE '' END`;
  const values = columns.map((column) => (column === references[0] ? checked(column) : given(column)));
  return `INSERT INTO \`${table}\` (${quoted(columns)}) VALUES (${values.join(", ")})`;
};

/** For LIKE, all of these characters are equal. */
const alikeInLike = /[\uFFFD-\uFFFF]/;

const anyTextOf: Dialect["anyTextOf"] = (column, texts) => ({
  sql: `${column} IN (SELECT value FROM json_each(?))`,
  values: [JSON.stringify(texts)],
});

/** `eventKeys` belong to one database, and see every event that is accepted on it. */
export const sqliteDialect = (eventKeys: SqliteEventKeys): Dialect => ({
  name: "sqlite",
  hasPartialIndexes: true,
  query: queryBuilder("sqlite3"),
  // There is one writer.
  concurrentAccepts: 1,
  // An event costs half as much in a commit of 64 as in one of 16.
  gatherAcceptsMs: 3,
  strayLookMs: 60_000,
  // It needs no locks.
  forUpdate: "",
  forShare: "",
  latest: "",
  microseconds: () => ({ sql: "?", values: [machineMicroseconds()] }),
  insertRows: async (session, { table, columns, timed }, rows) => {
    if (rows.length === 0) return;
    const { columns: ordered, expressions, shared, json } = rowsAsJson(columns, rows);
    // The value of the column `timed` is the present time.
    const names = timed === undefined ? ordered : [timed, ...ordered];
    const texts = timed === undefined ? expressions : ["?", ...expressions];
    const values = timed === undefined ? shared : [machineMicroseconds(), ...shared];
    await session.later(`INSERT INTO ${table} (${quoted(names)}) SELECT ${texts.join(", ")} FROM json_each(?)`, [
      ...values,
      json,
    ]);
  },
  anyOf: (column, ids) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(ids)],
  }),
  anyTextOf,
  bytesOf: (column) => `octet_length(${column})`,
  // LIKE ignores the case of ASCII letters, and of no others.
  findsText: (column, op, piece) => {
    if (alikeInLike.test(piece)) {
      // These functions ignore the case of A to Z, as LIKE does, and compare the bytes.
      const folded = piece.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
      return op === "contains"
        ? { sql: `instr(lower(${column}), ?) > 0`, values: [folded] }
        : { sql: `lower(substr(${column}, 1, ?)) = ?`, values: [[...piece].length, folded] };
    }
    const literal = piece.replaceAll(/[\\%_]/g, "\\$&");
    return { sql: `${column} LIKE ? ESCAPE '\\'`, values: [`${op === "contains" ? "%" : ""}${literal}%`] };
  },
  // LIKE would ignore case.
  fitsPattern: (column, pattern) => ({
    sql: `${column} GLOB ?`,
    values: [pattern.replaceAll(/[?[]/g, "[$&]")],
  }),
  // Of two values that are bytes, it compares the bytes.
  findsBytes: (column, part) => ({ sql: `instr(${column}, ?) > 0`, values: [part] }),
  ...onConflict,
  insertReferring,
  insertEvents: async (session, columns, events) => {
    const keys: EventRow["key"][] = [];
    // Nearly none has more than its own key.
    for (const { key, others } of events) {
      keys.push(key);
      for (const other of others) keys.push(other.key);
    }
    const sight = await eventKeys.look(session, keys);
    if (sight.holders.length === 0) {
      await insertNew(session, columns, events);
      await eventKeys.add(session, sight, events);
      return [];
    }
    const rows = byKeyText(sight.holders);
    const holders = events.flatMap((event) => rows.get(event.key.join(" ")) ?? heldElsewhere(event, rows) ?? []);
    const idOf = new Map(holders.map(({ id, provider, dedupe_key: key }) => [`${provider} ${key}`, id]));
    const fresh = events.filter(({ key }) => !idOf.has(key.join(" ")));
    if (events.some(({ id, key }) => idOf.get(key.join(" ")) === id)) {
      throw new TakenNumber("an event with the same key has the number of a new one");
    }
    if (fresh.length > 0) {
      await insertNew(session, columns, fresh);
      await eventKeys.add(session, sight, fresh);
    }
    const repeated = events.flatMap(({ key, repeats }): [number, number][] => {
      const holder = idOf.get(key.join(" "));
      return holder === undefined ? [] : [[holder, repeats + 1]];
    });
    if (repeated.length > 0) await countRepeats(session, repeated);
    return holders;
  },
  eventKeys,
  holdersOf: async (session, keys) => (await eventKeys.look(session, keys)).holders,
  findReady: async (database, claim) => {
    const ready = readyIn({ anyTextOf }, claim);
    const found = await readRows(database, `SELECT id FROM job WHERE ${ready.sql} LIMIT 1`, ready.values);
    return found.length === 0 ? undefined : [];
  },
  takeReady: (session, claim) => {
    const { runnerId, lease, now, most } = claim;
    const ready = readyIn({ anyTextOf }, claim);
    return session.rows<ClaimedRow>(
      `UPDATE job SET state = ${jobStates.running}, attempt = attempt + 1, runner = ?, lease = ?, started_at = ?
        WHERE id IN (SELECT id FROM job WHERE ${ready.sql} ORDER BY ${queueOrder} LIMIT ?)
          AND NOT EXISTS (SELECT 1 FROM runner WHERE id = ? AND state = ${runnerStates.dead})
       RETURNING attempt, ${claimedColumns}`,
      [runnerId, lease, now, ...ready.values, most, runnerId],
    );
  },
  endPlain: (session, leases, now) => {
    const held: (readonly [id: number, lease: number])[] = [];
    for (const { id, lease } of leases) held.push([id, lease]);
    return session.rows<Lease>(
      `UPDATE job SET state = ${jobStates.done}, finished_at = ?, place = NULL, runner = NULL
         FROM json_each(?) AS held
        WHERE job.id = held.value ->> 0 AND job.lease = held.value ->> 1 AND job.state = ${jobStates.running}
          AND job.order_key IS NULL AND job.unique_key IS NULL
       RETURNING job.id, job.lease`,
      [now, JSON.stringify(held)],
    );
  },
});
