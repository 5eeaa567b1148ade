import { endedStates, givenUpStates, jobStates } from "@postern/core/parts";
import type { Database, Session } from "../database.ts";
import { dispositions } from "./event-state.ts";
import { type EndingJob, endingColumns } from "./job-ends.ts";
import { letGo } from "./knex-job-records.ts";

const ended: ReadonlySet<number> = new Set(endedStates.map((state) => jobStates[state]));
const givenUp: ReadonlySet<number> = new Set(givenUpStates.map((state) => jobStates[state]));

/** `EventStore.discard` of one event, in the session's transaction. */
export const discardEvent = async (
  database: Database,
  session: Session,
  id: number,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<boolean> => {
  // The event's row is the lock between this and a replay or a retry.
  const [event] = await session.rows<{ disposition: number }>(
    `SELECT disposition FROM inbox_event WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (event === undefined || event.disposition === dispositions.discarded) return false;
  const current = await session.rows<Omit<EndingJob, "end"> & { state: number }>(
    `SELECT ${endingColumns}, state FROM job WHERE event_ref = ? AND replaced_by IS NULL ORDER BY id`,
    [id],
  );
  if (event.disposition === dispositions.accepted) {
    const isGivenUp = current.some(({ state }) => givenUp.has(state)) && current.every(({ state }) => ended.has(state));
    if (!isGivenUp) return false;
  }
  for (const job of current) {
    if (job.state !== jobStates.dead || (await letGo(database, session, job, now))) continue;
    await session.run("UPDATE job SET state = ?, finished_at = ? WHERE id = ? AND state = ?", [
      jobStates.cancelled,
      now,
      job.id,
      jobStates.dead,
    ]);
  }
  await session.run("UPDATE inbox_event SET disposition = ?, reason = ? WHERE id = ?", [
    dispositions.discarded,
    reason,
    id,
  ]);
  return true;
};
