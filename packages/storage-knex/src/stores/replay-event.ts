import { type EventStore, jobStates } from "@postern/core/parts";
import type { Database, Session } from "../database.ts";
import { dispositions } from "./event-state.ts";
import { insertJobs, type ReplacedRow, replacedColumns, replaceJobs } from "./job-rows.ts";

const givenUp: ReadonlySet<number> = new Set([jobStates.dead, jobStates.cancelled]);

type Replay = Parameters<EventStore["replay"]>;

/** Makes new jobs for an event, in the session's transaction. Returns how many. */
export const replayEvent = async (
  database: Database,
  session: Session,
  { id, extraJobs, dueAt }: Replay[0][number],
  { includeDone, now }: Replay[1],
): Promise<number> => {
  // The event's row is the lock between two replays: the second sees the first one's jobs.
  const [event] = await session.rows<{ body_dropped: number; disposition: number }>(
    `SELECT body_dropped, disposition FROM inbox_event WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (event?.body_dropped !== 0) return 0;
  const current = await session.rows<ReplacedRow & { state: number }>(
    `SELECT ${replacedColumns}, state FROM job WHERE event_ref = ? AND replaced_by IS NULL ORDER BY id`,
    [id],
  );
  const again = current.filter(({ state }) => givenUp.has(state) || (includeDone && state === jobStates.done));
  // If two replays run at once, the second finds the jobs of the first.
  const added = extraJobs.filter(({ kind }) => !current.some((job) => job.kind === kind));
  await replaceJobs(database, session, again, { now, dueAt });
  if (added.length > 0) {
    const firstId = await database.ids.takeWithin(session, "job", added.length);
    const due = dueAt === undefined ? {} : { dueAt };
    const jobs = added.map((job, index) => ({ ...job, id: firstId + index, eventId: id, createdAt: now, ...due }));
    await insertJobs(database, session, jobs);
  }
  const isTakenBack = event.disposition === dispositions.discarded && again.length > 0;
  if (added.length > 0 || isTakenBack) {
    await session.run("UPDATE inbox_event SET disposition = 0, reason = NULL WHERE id = ?", [id]);
  }
  return again.length + added.length;
};
