import { hash } from "node:crypto";
import type { Database, Session } from "../engine/database.ts";
import type { AcceptedRow, EventRow } from "../engine/dialect.ts";
import { type EventKeyTelemetry, type KeyIndex, keyIndex, type LoggedKey } from "./key-index.ts";
import { advanceMerge } from "./key-merge.ts";

/** Provider and dedupe key. */
type Key = readonly [provider: string, dedupeKey: string];

interface Sight {
  /** The rows that hold one of the keys. */
  readonly holders: readonly AcceptedRow[];
  /** The last place of the log that was ever given out. */
  readonly last: number;
  /** The hashes of the keys that were looked for. */
  readonly hashes: ReadonlyMap<Key, number>;
}

export interface EventKeyLimits {
  /** From this many keys on, the keys of the log are merged into the sorted table. */
  readonly inLog: number;
  /** The fewest keys that one step merges. */
  readonly step: number;
}

/** Two sets of this many keys take 12.6 MB. With 20,000 more, a set would double. */
const defaultLimits: EventKeyLimits = { inLog: 400_000, step: 64 };

/** How many rows of the log are read at once when a process begins. */
const chunkRows = 10_000;

/**
 * 48 bits with a sign, which SQLite stores in 6 bytes. Keys with the same hash are compared as a
 * whole. The hash is parsed from text, because that takes half as long as reading its bytes.
 */
export const hashOf = ([provider, key]: Key): number =>
  Number.parseInt(hash("sha256", `${provider} ${key}`).slice(0, 12), 16) - 2 ** 47;

/** The place is 0 for a row of the sorted table, and below 0 the last one that was ever given out. */
type FoundKey = LoggedKey;

/** Three JSON texts take a third of the time that a row object for each key would take. */
const readChunk = async (session: Session, seen: number): Promise<readonly LoggedKey[]> => {
  const [texts] = await session.rows<{ places: string; hashes: string; events: string }>(
    `SELECT json_group_array(place) AS places, json_group_array(hash) AS hashes, json_group_array(event) AS events
       FROM (SELECT place, hash, event FROM event_key_log WHERE place > ? ORDER BY place LIMIT ?)`,
    [seen, chunkRows],
  );
  // SQLite made these texts from columns of integers.
  const numbersOf = (text = "[]") => JSON.parse(text) as number[];
  const [hashes, events] = [numbersOf(texts?.hashes), numbersOf(texts?.events)];
  return numbersOf(texts?.places).map((place, at) => ({ place, hash: hashes[at] ?? 0, event: events[at] ?? 0 }));
};

/** Reads the rows of the log that the index does not know. */
const readLog = async (read: Database["read"], index: KeyIndex): Promise<void> => {
  for (;;) {
    const rows = await read((session) => readChunk(session, index.seen));
    index.learn(rows);
    if (rows.length < chunkRows) return;
  }
};

/** Of the events with these ids, those that have one of the keys. */
const holdersAmong = async (
  session: Session,
  keys: readonly Key[],
  events: readonly number[],
): Promise<readonly AcceptedRow[]> => {
  const found = await session.rows<AcceptedRow>(
    "SELECT id, provider, dedupe_key, body_sha256, received_at FROM inbox_event WHERE id IN (SELECT value FROM json_each(?))",
    [JSON.stringify(events)],
  );
  const wanted = new Set(keys.map((key) => key.join(" ")));
  return found.filter(({ provider, dedupe_key: key }) => wanted.has(`${provider} ${key}`));
};

/** Reads the rows behind `seen`, the rows of the sorted table with the hashes of the keys, and the last place. */
const lookFor = async (session: Session, index: KeyIndex, keys: readonly Key[]): Promise<Sight> => {
  const hashes = new Map<Key, number>();
  for (const key of keys) hashes.set(key, hashOf(key));
  const asked = new Set(hashes.values());
  const rows = await session.rows<FoundKey>(
    `SELECT -seq AS place, 0 AS hash, 0 AS event FROM sqlite_sequence WHERE name = 'event_key_log'
     UNION ALL
     SELECT place, hash, event FROM event_key_log WHERE place > ?
     UNION ALL
     SELECT 0, sorted.hash, sorted.event FROM json_each(?) AS asked CROSS JOIN event_key AS sorted ON sorted.hash = asked.value`,
    [index.seen, JSON.stringify([...asked])],
  );
  let last = 0;
  const unseen: LoggedKey[] = [];
  const events = [...index.eventsOf(asked)];
  for (const row of rows) {
    if (row.place < 0) last = -row.place;
    if (row.place > 0) unseen.push(row);
    if (row.place >= 0 && asked.has(row.hash)) events.push(row.event);
  }
  if (unseen.length > 0) {
    unseen.sort((left, right) => left.place - right.place);
    session.afterCommit(() => index.learn(unseen));
  }
  return { holders: events.length === 0 ? [] : await holdersAmong(session, keys, events), last, hashes };
};

/**
 * Deletes the keys of events from the sorted table, in the transaction that deletes the events.
 * Their rows of the log stay until they are merged: another process may know the keys from there,
 * and still copy them.
 */
const forgetKeys = async (session: Session, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  const rows = await session.rows<{ id: number; provider: string; dedupe_key: string }>(
    "SELECT id, provider, dedupe_key FROM inbox_event WHERE id IN (SELECT value FROM json_each(?))",
    [JSON.stringify(ids)],
  );
  const entries = rows.map(({ id, provider, dedupe_key: key }) => [hashOf([provider, key]), id]);
  await session.run(
    `DELETE FROM event_key WHERE (hash, event) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
    [JSON.stringify(entries)],
  );
};

/**
 * Finds repeats without an index of whole keys, which would cost one random page for each event.
 * ADR 35 tells why and how.
 *
 * - `event_key_log` has a row for each event, in the order of the commits. Places never come again.
 * - `event_key` is sorted by hash. Steps of a merge copy keys of the log to it, and then delete
 *   their rows from the log.
 *
 * An event's key is always in one of these. Memory holds only an index of the log up to the place
 * `seen`: a transaction reads the rows behind that place. So it does not matter who wrote the log,
 * and one key too many in memory does no harm, because the event's row decides.
 */
export const sqliteEventKeys = (
  read: Database["read"],
  { inLog, step }: EventKeyLimits = defaultLimits,
  telemetry?: EventKeyTelemetry,
) => {
  const index = keyIndex(inLog, telemetry);
  let isRead = false;
  let catchingUp: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    await readLog(read, index);
    isRead = true;
  };

  return {
    catchUp: async (): Promise<void> => {
      if (isRead) return;
      catchingUp ??= load().finally(() => {
        catchingUp = undefined;
      });
      await catchingUp;
    },
    /** The events that have these keys, as the transaction of `session` sees them. Only in a write. */
    look: async (session: Session, keys: readonly Key[]): Promise<Sight> => {
      if (!isRead) throw new TypeError("the log of keys has not been read");
      return lookFor(session, index, keys);
    },
    /**
     * Notes the keys of events that the transaction inserts. `sight` is the result of its last
     * `look`.
     */
    add: async (
      session: Session,
      { last, hashes }: Sight,
      events: readonly Pick<EventRow, "id" | "key">[],
    ): Promise<void> => {
      if (events.length === 0) return;
      const rows: LoggedKey[] = [];
      const values: number[][] = [];
      for (const [at, { id, key }] of events.entries()) {
        const row = { place: last + 1 + at, hash: hashes.get(key) ?? hashOf(key), event: id };
        rows.push(row);
        values.push([row.place, row.hash, row.event]);
      }
      await session.later(
        "INSERT INTO event_key_log (place, hash, event) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
        [JSON.stringify(values)],
      );
      session.afterCommit(() => index.learn(rows));
      if (index.merging !== undefined) await advanceMerge(session, index, index.merging, events.length, step);
    },
    forget: forgetKeys,
  };
};

export type SqliteEventKeys = ReturnType<typeof sqliteEventKeys>;
