import { type Expiring, type Housekeeping, jobStates } from "@postern/core";
import { checkLimit, type Database, type Session } from "../database.ts";
import { dispositions } from "./event-state.ts";
import { isHolding } from "./lanes.ts";

const { done, dead, cancelled, ready, scheduled, running, blocked } = jobStates;

const endedJobs = (state: number, more = ""): string =>
  // Says twice that it has ended: SQLite's index holds only such rows, and reads that from the text.
  `SELECT id FROM job WHERE state >= ${done} AND state = ${state} AND finished_at < ?${more} ORDER BY finished_at LIMIT ?`;

const toRun = `(job.state IN (${ready}, ${scheduled}, ${running}, ${blocked}) OR ${isHolding})`;
/** What will run, or can be replayed: a dead job that no other has replaced. */
const needsBody = `(${toRun} OR (job.state = ${dead} AND job.replaced_by IS NULL))`;

const aboutNoEvent = ` AND event_ref IS NULL AND NOT ${isHolding}`;

/** Which rows go: found first, without locks, then deleted by their keys in order. */
const expired: Readonly<Record<Exclude<Expiring, "slots">, string>> = {
  done_jobs: endedJobs(done),
  cancelled_jobs: endedJobs(cancelled, aboutNoEvent),
  dead_jobs: endedJobs(dead, aboutNoEvent),
  // Both values, because the index begins with the column.
  events: `SELECT id FROM inbox_event WHERE body_dropped IN (0, 1) AND received_at < ?
      AND NOT EXISTS (SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND ${toRun}) LIMIT ?`,
  bodies: `SELECT id FROM inbox_event WHERE body_dropped = 0 AND received_at < ? AND disposition <> ${dispositions.quarantined}
      AND NOT EXISTS (SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND ${needsBody}) LIMIT ?`,
  // The oldest are those with the smallest ids, and no other needs to be looked at.
  audit: "SELECT id FROM (SELECT id, at, ? AS horizon FROM audit_log ORDER BY id LIMIT ?) AS oldest WHERE at < horizon",
  runners: "SELECT id FROM runner WHERE state = 1 AND beat_at < ? ORDER BY id LIMIT ?",
};

/** `inbox` says whether there are events; without them, housekeeping leaves their tables alone. */
export const knexHousekeeping = (database: Database, { inbox }: { readonly inbox: boolean }): Housekeeping => {
  const { dialect } = database;

  const remove = async (session: Session, table: string, column: string, ids: readonly number[]): Promise<void> => {
    if (ids.length === 0) return;
    const where = dialect.anyOf(column, ids);
    await session.run(`DELETE FROM ${table} WHERE ${where.sql}`, where.values);
  };
  const removeJobs = async (session: Session, ids: readonly number[]): Promise<void> => {
    await remove(session, "job_failure", "job_id", ids);
    await remove(session, "job", "id", ids);
  };

  /** Those of the events which nobody replays now or has just replayed; their rows are ours until the transaction ends. */
  const idle = async (session: Session, ids: readonly number[], busy: string): Promise<readonly number[]> => {
    const events = dialect.anyOf("id", ids);
    const locked = await session.rows<{ id: number }>(
      `SELECT id FROM inbox_event WHERE ${events.sql} ORDER BY id${dialect.forUpdate}`,
      events.values,
    );
    const of = dialect.anyOf("event_ref", ids);
    const found = await session.rows<{ event_ref: number }>(
      `SELECT event_ref FROM job WHERE ${of.sql} AND ${busy}`,
      of.values,
    );
    const taken = new Set(found.map(({ event_ref: id }) => id));
    return locked.map(({ id }) => id).filter((id) => !taken.has(id));
  };

  const dropBodies = async (session: Session, found: readonly number[]): Promise<number> => {
    const ids = await idle(session, found, needsBody);
    if (ids.length === 0) return 0;
    const where = dialect.anyOf("id", ids);
    await session.run(
      `UPDATE inbox_event SET body = X'', headers = '{}', body_dropped = 1 WHERE ${where.sql}`,
      where.values,
    );
    return ids.length;
  };

  const removeEvents = async (session: Session, found: readonly number[]): Promise<number> => {
    const ids = await idle(session, found, toRun);
    const of = dialect.anyOf("event_ref", ids);
    const jobs = await session.rows<{ id: number }>(`SELECT id FROM job WHERE ${of.sql}`, of.values);
    await removeJobs(
      session,
      jobs.map(({ id }) => id),
    );
    await remove(session, "forward_attempt", "event_ref", ids);
    await remove(session, "inbox_event", "id", ids);
    return ids.length;
  };

  const pruneSlots = (before: number, limit: number): Promise<number> =>
    database.write(async (session) => {
      const rows = await session.rows<{ name: string; slot: number }>(
        `SELECT name, slot FROM schedule_slot WHERE slot < ?
            AND slot < (SELECT MAX(newer.slot) FROM schedule_slot AS newer WHERE newer.name = schedule_slot.name)
          ORDER BY name, slot LIMIT ?`,
        [before, limit],
      );
      for (const { name, slot } of rows) {
        await session.run("DELETE FROM schedule_slot WHERE name = ? AND slot = ?", [name, slot]);
      }
      return rows.length;
    });

  return {
    checkpoint: async () => {
      if (dialect.name !== "sqlite") return;
      await database.read((session) => session.rows("PRAGMA wal_checkpoint(TRUNCATE)"));
    },
    prune: async (what, before, limit) => {
      checkLimit(limit);
      if (!inbox && (what === "events" || what === "bodies")) return 0;
      if (what === "slots") return pruneSlots(before, limit);
      const found = await database.read((session) => session.rows<{ id: number }>(expired[what], [before, limit]));
      const ids = found.map(({ id }) => id);
      if (ids.length === 0) return 0;
      return database.write(async (session) => {
        if (what === "bodies") return dropBodies(session, ids);
        if (what === "events") return removeEvents(session, ids);
        if (what === "runners") await remove(session, "runner", "id", ids);
        else if (what === "audit") await remove(session, "audit_log", "id", ids);
        else await removeJobs(session, ids);
        return ids.length;
      });
    },
  };
};
