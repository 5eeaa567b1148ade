import { hash } from "node:crypto";
import type { Database, Session } from "../database.ts";
import type { AcceptedRow, EventKeys, EventRow } from "../dialect.ts";
import { type KeySet, keySet } from "./key-set.ts";

/** Provider and dedupe key. */
type Key = readonly [provider: string, dedupeKey: string];

export interface SqliteEventKeys extends EventKeys {
  /** Who holds these keys, as the transaction of `session` sees it. Only in a write. */
  look(session: Session, keys: readonly Key[]): Promise<Sight>;
  /** Notes the keys of events that the transaction inserts. `sight` is the last look that it took. */
  add(session: Session, sight: Sight, events: readonly Pick<EventRow, "id" | "key">[]): Promise<void>;
}

interface Sight {
  /** The rows that hold one of the keys. */
  readonly holders: readonly AcceptedRow[];
  /** The last place of the log that was ever given out. */
  readonly last: number;
  /** The hashes of the keys that were looked for. */
  readonly hashes: ReadonlyMap<Key, number>;
}

export interface EventKeyLimits {
  /** From so many keys of the log on they are merged into the sorted table. */
  readonly inLog: number;
  /** The fewest keys that one step merges. */
  readonly step: number;
}

/** Two sets of so many keys take 8 MB. */
const defaultLimits: EventKeyLimits = { inLog: 131_072, step: 64 };

/** So many keys of the log are read at once when a process begins. */
const chunkRows = 10_000;

/** The ids of blocks that processes hold at the same time lie no further apart. */
const idSpread = 1_000_000;

/** The index of events from before the log, with the first id that it leaves out. */
const boundaryOf = (sql: string | undefined): number => {
  const boundary = /WHERE id < (\d+)$/.exec(sql ?? "")?.[1];
  if (boundary === undefined) throw new Error("the index inbox_event_before_log is missing; say `postern migrate`");
  return Number(boundary);
};

const keyText = ([provider, key]: Key): string => `${provider} ${key}`;

/**
 * 48 bits with a sign, which SQLite keeps in 6 bytes. What has the same hash is compared as a
 * whole. By way of text: that takes half as long as bytes.
 */
const hashOf = (key: Key): number => Number.parseInt(hash("sha256", keyText(key)).slice(0, 12), 16) - 2 ** 47;

/** A full set whose keys go to the sorted table. */
interface Merging {
  readonly keys: KeySet;
  /** How far it has come, as a position of the set. */
  next: number;
}

interface LogRow {
  /** 0 for a row of the sorted table; below 0 the last place that was ever given out. */
  readonly place: number;
  readonly hash: number;
  readonly event: number;
}

/**
 * Finds repeats without an index of whole keys, which would cost one random page for each event. ADR 35 tells why and how.
 *
 * - `event_key_log` has a row for each event, in the order of the commits. Places never come again.
 * - `event_key` is sorted by hash. Steps of a merge copy rows of the log to it, and then delete them from the log.
 * - `inbox_event_before_log` is the unique index of the events that were stored before there was a log.
 *
 * An event's key is always in one of these. What is in memory is only an index of the log up to the place `seen`: a
 * transaction reads what lies behind it. So it does not matter who wrote the log, and a key too many in memory does no
 * harm, since the event's row decides.
 */
export const sqliteEventKeys = (
  read: Database["read"],
  { inLog, step }: EventKeyLimits = defaultLimits,
): SqliteEventKeys => {
  let young = keySet();
  let merging: Merging | undefined;
  /** All rows of the log up to this place are in `young` or `merging`. */
  let seen = 0;
  let boundary: number | undefined;
  let catchingUp: Promise<void> | undefined;

  /**
   * Takes committed rows in the order of their places. None may be missing behind `seen`: a transaction has those learnt
   * first that it read, and then those that it wrote.
   */
  const learn = (rows: readonly Pick<LogRow, "place" | "hash">[]): void => {
    for (const { place, hash } of rows) {
      if (place <= seen) continue;
      young.add(hash, place);
      seen = place;
    }
    if (merging !== undefined || young.size < inLog) return;
    merging = { keys: young, next: 0 };
    young = keySet();
  };

  /** Where the log begins to be unknown, and whether events of before the log are left. */
  const loadLog = async (): Promise<void> => {
    for (;;) {
      const rows = await read((session) =>
        session.rows<LogRow>("SELECT place, hash FROM event_key_log WHERE place > ? ORDER BY place LIMIT ?", [
          seen,
          chunkRows,
        ]),
      );
      learn(rows);
      if (rows.length < chunkRows) break;
    }
    boundary = await read(async (session) => {
      const [index] = await session.rows<{ sql: string }>(
        "SELECT sql FROM sqlite_schema WHERE name = 'inbox_event_before_log'",
      );
      const first = boundaryOf(index?.sql);
      const left = await session.rows("SELECT 1 FROM inbox_event WHERE id < ? LIMIT 1", [first]);
      return left.length === 0 ? 0 : first;
    });
  };

  const catchUp = async (): Promise<void> => {
    if (boundary !== undefined) return;
    catchingUp ??= loadLog().finally(() => {
      catchingUp = undefined;
    });
    await catchingUp;
  };

  /** Events of before the log that hold these keys. The index is used only where its boundary stands in the text. */
  const oldHolders = async (session: Session, keys: readonly Key[]): Promise<readonly number[]> => {
    if (boundary === undefined) throw new TypeError("the log of keys has not been read");
    if (boundary === 0) return [];
    const rows = await session.rows<{ id: number }>(
      `SELECT old.id FROM json_each(?) AS asked CROSS JOIN inbox_event AS old INDEXED BY inbox_event_before_log
        ON old.provider = asked.value ->> 0 AND old.dedupe_key = asked.value ->> 1 AND old.id < ${boundary}`,
      [JSON.stringify(keys)],
    );
    return rows.map(({ id }) => id);
  };

  const mergeStep = async (session: Session, { keys, next }: Merging, count: number): Promise<void> => {
    const { places, next: reached } = keys.stretch(next, count);
    await session.run(
      `INSERT INTO event_key (hash, event)
       SELECT hash, event FROM event_key_log WHERE place IN (SELECT value FROM json_each(?)) ORDER BY hash, event
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(places)],
    );
    session.afterCommit(() => {
      if (merging?.keys === keys) merging.next = Math.max(merging.next, reached);
    });
  };

  /** Deletes merged rows of the log, but none that is not in the sorted table. */
  const clearStep = async (session: Session, { keys }: Merging, count: number): Promise<void> => {
    const { changed } = await session.run(
      `DELETE FROM event_key_log
        WHERE place IN (SELECT place FROM event_key_log WHERE place <= ? ORDER BY place LIMIT ?)
          AND EXISTS (SELECT 1 FROM event_key AS sorted
            WHERE sorted.hash = event_key_log.hash AND sorted.event = event_key_log.event)`,
      [keys.newest, count],
    );
    if (changed === count) return;
    const left = await session.rows("SELECT 1 FROM event_key_log WHERE place <= ? LIMIT 1", [keys.newest]);
    session.afterCommit(() => {
      if (merging?.keys !== keys) return;
      if (left.length === 0) merging = undefined;
      else merging.next = 0;
    });
  };

  return {
    catchUp,
    look: async (session, keys) => {
      const hashes = new Map(keys.map((key) => [key, hashOf(key)]));
      const asked = new Set(hashes.values());
      const rows = await session.rows<LogRow>(
        `SELECT -seq AS place, 0 AS hash, 0 AS event FROM sqlite_sequence WHERE name = 'event_key_log'
         UNION ALL
         SELECT place, hash, event FROM event_key_log WHERE place > ?
         UNION ALL
         SELECT 0, sorted.hash, sorted.event FROM json_each(?) AS asked CROSS JOIN event_key AS sorted ON sorted.hash = asked.value`,
        [seen, JSON.stringify([...asked])],
      );
      const last = -(rows.find(({ place }) => place < 0)?.place ?? 0);
      const unseen = rows.filter(({ place }) => place > 0).toSorted((left, right) => left.place - right.place);
      if (unseen.length > 0) session.afterCommit(() => learn(unseen));
      const events = rows.flatMap(({ place, hash, event }) => (place >= 0 && asked.has(hash) ? [event] : []));
      events.push(...(await oldHolders(session, keys)));
      const places: number[] = [];
      for (const each of asked) {
        for (const set of [young, merging?.keys]) if (set !== undefined) places.push(...set.placesOf(each));
      }
      if (events.length === 0 && places.length === 0) return { holders: [], last, hashes };
      const found = await session.rows<AcceptedRow>(
        `SELECT id, provider, dedupe_key, body_sha256 FROM inbox_event WHERE id IN (
          SELECT value FROM json_each(?)
          UNION SELECT event FROM event_key_log WHERE place IN (SELECT value FROM json_each(?)))`,
        [JSON.stringify(events), JSON.stringify(places)],
      );
      const wanted = new Set(keys.map(keyText));
      return {
        holders: found.filter(({ provider, dedupe_key: key }) => wanted.has(keyText([provider, key]))),
        last,
        hashes,
      };
    },
    add: async (session, { last, hashes }, events) => {
      if (events.length === 0) return;
      const rows = events.map(({ id, key }, index) => ({
        place: last + 1 + index,
        hash: hashes.get(key) ?? hashOf(key),
        event: id,
      }));
      await session.run(
        "INSERT INTO event_key_log (place, hash, event) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
        [JSON.stringify(rows.map(({ place, hash, event }) => [place, hash, event]))],
      );
      session.afterCommit(() => learn(rows));
      if (merging === undefined) return;
      const count = Math.max(step, 2 * events.length);
      if (!merging.keys.isEnd(merging.next)) await mergeStep(session, merging, count);
      // Deleting a row costs less than merging it.
      else await clearStep(session, merging, 2 * count);
    },
    forget: async (session, ids) => {
      if (ids.length === 0) return;
      const asked = JSON.stringify(ids);
      const rows = await session.rows<{ id: number; provider: string; dedupe_key: string }>(
        "SELECT id, provider, dedupe_key FROM inbox_event WHERE id IN (SELECT value FROM json_each(?))",
        [asked],
      );
      const entries = rows.map(({ id, provider, dedupe_key: key }) => [hashOf([provider, key]), id]);
      await session.run(
        `DELETE FROM event_key WHERE (hash, event) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
        [JSON.stringify(entries)],
      );
      // The log is read as a whole, but only where events as old as these may be in it.
      const [oldest] = await session.rows<{ event: number }>("SELECT event FROM event_key_log ORDER BY place LIMIT 1");
      if (oldest === undefined || oldest.event - idSpread > Math.max(...ids)) return;
      await session.run("DELETE FROM event_key_log WHERE event IN (SELECT value FROM json_each(?))", [asked]);
    },
  };
};
