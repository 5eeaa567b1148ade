import { AppError } from "@postern/core";
import { queueOrder, type Ready, readyAbove, readyIn } from "../engine/dialect.ts";
import { loopClock } from "../engine/loop-clock.ts";
import type { Session, Sessions, Statement } from "../engine/session.ts";
import { anyTextOf, arrayOf, serverMicroseconds } from "./unnested.ts";

/** A search of the whole index that takes longer in the server, in milliseconds, is not done by each claim. */
const slowMs = 5;
/** The pause after a search of the whole index, as a multiple of its time. */
const restTimes = 20;
/**
 * How far claims begin before the last job that they took, in microseconds. A job has its place in
 * the order from the statement that stores it, and is there to take after the commit.
 */
const marginMicros = 500_000;
/** With more priorities in use, each claim searches the whole index. */
const mostPriorities = 16;
/** The priority of jobs that say none. */
const usualPriority = 0;

interface Floors {
  /** By priority, the first `ready_order` to look at. */
  readonly since: ReadonlyMap<number, number>;
  /** By the monotonic clock: when the whole index is searched again. */
  readonly until: number;
}

interface Found {
  readonly floors: ReadonlyMap<number, number>;
  readonly isThere: boolean;
  readonly tookMs: number;
}

const keyOf = ({ queue, kinds, suspects }: Ready): string => JSON.stringify([queue, suspects, kinds]);

/**
 * Where claims begin to look for ready jobs.
 *
 * A transaction that somebody leaves open keeps vacuum from clearing the index of ready jobs, and a
 * search from its beginning passes over every job that was ready since. So while that takes long,
 * claims begin near the last job that they took, and the whole index is searched aside, for at most
 * a twentieth of the time. What only that search finds waits for it: a job whose transaction
 * committed late, or the first one of a priority.
 */
export const readyFloors = (monotonic: () => number = loopClock.monotonic) => {
  const known = new Map<string, Floors>();
  const searching = new Set<string>();

  /** See `Dialect.readyFloors`. */
  const of = (ready: Ready): Statement | undefined => {
    const all = known.get(keyOf(ready))?.since ?? new Map<number, number>();
    const { priority } = ready;
    const floors = [...all].filter(([each]) => priority === undefined || each === priority);
    if (floors.length === 0) return undefined;
    floors.sort(([one], [other]) => one - other);
    return {
      sql: "unnest(CAST(? AS integer[]), CAST(? AS bigint[])) AS floor(priority, since)",
      values: [arrayOf(floors.map(([each]) => each)), arrayOf(floors.map(([, since]) => since))],
    };
  };

  /** Goes from one priority with ready jobs to the next; only to the first if that is quick. */
  const search = async (session: Session, ready: Ready): Promise<Found> => {
    const condition = readyIn({ anyTextOf }, ready);
    const floors = new Map<number, number>();
    let tookMs = 0;
    let above = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const [row] = await session.rows<{
        priority: number | null;
        ready_order: number | null;
        took_us: number;
        now: number;
      }>(
        `SELECT first.priority, first.ready_order, ${serverMicroseconds} AS now,
            CAST(EXTRACT(EPOCH FROM clock_timestamp() - statement_timestamp()) * 1000000 AS bigint) AS took_us
          FROM (SELECT 1) AS one LEFT JOIN (SELECT priority, ready_order FROM job
            WHERE ${condition.sql} AND priority > ? ORDER BY ${queueOrder} LIMIT 1) AS first ON TRUE`,
        [...condition.values, above],
      );
      const { priority = null, ready_order: order = null, took_us: took = 0, now = 0 } = row ?? {};
      tookMs += took / 1_000;
      const since = now - marginMicros;
      if (priority !== null) floors.set(priority, Math.min(order ?? since, since));
      if (priority !== null && tookMs > slowMs && floors.size <= mostPriorities) {
        above = priority;
        continue;
      }
      const isThere = floors.size > 0;
      // A job may come in a priority that has none at this moment.
      for (const each of [usualPriority, ...(known.get(keyOf(ready))?.since.keys() ?? [])])
        if (!floors.has(each)) floors.set(each, since);
      return { floors, isThere, tookMs };
    }
  };

  const note = (ready: Ready, { floors, tookMs }: Found): void => {
    if (tookMs <= slowMs || floors.size > mostPriorities) known.delete(keyOf(ready));
    else known.set(keyOf(ready), { since: floors, until: monotonic() + restTimes * tookMs });
  };

  /** Searches the whole index while claims go on. A write may take longer than a read. */
  const searchAside = async (database: Sessions, ready: Ready): Promise<void> => {
    const key = keyOf(ready);
    const began = monotonic();
    searching.add(key);
    try {
      note(ready, await database.write((session) => search(session, ready)));
    } catch {
      // It is tried again later. A claim tells what is wrong with the database.
      const since = known.get(key)?.since ?? new Map();
      known.set(key, { since, until: monotonic() + restTimes * (monotonic() - began) });
    } finally {
      searching.delete(key);
    }
  };

  return {
    of,
    forget: (): void => known.clear(),
    /** Whether a job is ready, and how to find it without a long search. */
    look: async (database: Sessions, ready: Ready): Promise<boolean> => {
      const floors = of(ready);
      if (floors === undefined) {
        const found = await database
          .read((session) => search(session, ready))
          .catch((thrown: unknown) => {
            if (!(thrown instanceof AppError && thrown.code === "query_too_slow")) throw thrown;
            return database.write((session) => search(session, ready));
          });
        if (ready.priority === undefined) note(ready, found);
        return found.isThere;
      }
      const key = keyOf(ready);
      if (monotonic() >= (known.get(key)?.until ?? 0) && !searching.has(key))
        void searchAside(database, { ...ready, priority: undefined });
      const first = readyAbove({ anyTextOf }, ready, { columns: "id", limit: 1 }, floors);
      const rows = await database.read((session) =>
        session.rows(`SELECT ready.id FROM ${first.sql} LIMIT 1`, first.values),
      );
      return rows.length > 0;
    },
    /** Notes that a claim took these jobs, which are in the order of the queue, and is committed. */
    took: (ready: Ready, rows: readonly { readonly priority: number; readonly ready_order: number }[]): void => {
      const floors = known.get(keyOf(ready));
      if (floors === undefined) return;
      const since = new Map(floors.since);
      for (const { priority, ready_order: order } of rows) {
        const floor = since.get(priority);
        if (floor !== undefined) since.set(priority, Math.max(floor, order - marginMicros));
      }
      known.set(keyOf(ready), { ...floors, since });
    },
  };
};
