import { jobStates, type PastEvent, type PastJob } from "@postern/core/ports";
import { chunksOf, type Database, idsOf, type Session } from "../engine/database.ts";
import { byKeyText } from "../engine/dialect.ts";
import { eventColumns, eventRow, holdersOfAll } from "./accept-events.ts";
import { insertJobs, type JobToInsert } from "./job-rows.ts";

const keyOf = ({ provider, dedupeKey }: PastEvent): string => `${provider} ${dedupeKey}`;

/** A job takes its past in the transaction that stores it, so no runner sees it before. */
const addPast = async (
  session: Session,
  id: number,
  { attempt, lastError, ended, orderKey }: PastJob,
): Promise<void> => {
  if (attempt > 0 || lastError !== undefined) {
    await session.run("UPDATE job SET attempt = ?, last_error = ? WHERE id = ?", [attempt, lastError ?? null, id]);
  }
  if (ended === undefined) return;
  await session.run("UPDATE job SET state = ?, finished_at = ?, due_at = NULL, order_key = ? WHERE id = ?", [
    jobStates[ended.state],
    ended.at,
    orderKey ?? null,
    id,
  ]);
};

const restoreJobs = async (
  database: Database,
  session: Session,
  fresh: readonly { readonly id: number; readonly event: PastEvent }[],
): Promise<void> => {
  const past = fresh.flatMap(({ id, event }) => event.jobs.map((job) => ({ eventId: id, job })));
  if (past.length === 0) return;
  const first = await database.ids.takeWithin(session, "job", past.length);
  // One that has ended takes no place in the lane of its order key.
  const rows = past.map(({ eventId, job: { orderKey, ...job } }, at): JobToInsert => {
    const isInOrder = job.ended === undefined && orderKey !== undefined;
    return { ...job, id: first + at, eventId, ...(isInOrder ? { orderKey } : {}) };
  });
  await insertJobs(database, session, rows);
  for (const [at, { job }] of past.entries()) await addPast(session, first + at, job);
};

/** See `EventStore.restore`. */
export const restoreEvents = async (
  database: Database,
  events: readonly PastEvent[],
): Promise<readonly (number | undefined)[]> => {
  await database.dialect.eventKeys?.catchUp();
  return database.write(async (session) => {
    const keys = events.map(({ provider, dedupeKey }) => [provider, dedupeKey] as const);
    const taken = new Set(byKeyText(await holdersOfAll(database.dialect, session, keys)).keys());
    const first = await database.ids.takeWithin(session, "event", events.length);
    const fresh: { readonly id: number; readonly event: PastEvent }[] = [];
    const ids = events.map((event, at) => {
      if (taken.has(keyOf(event))) return undefined;
      taken.add(keyOf(event));
      fresh.push({ id: first + at, event });
      return first + at;
    });
    if (fresh.length === 0) return ids;
    const rows = fresh.map(({ id, event }) => eventRow(id, event, event.repeats ?? 0));
    const holders = byKeyText(await database.dialect.insertEvents(session, eventColumns, rows));
    // Another process may have stored one of them meanwhile.
    const stored = fresh.filter(({ id, event }) => (holders.get(keyOf(event))?.id ?? id) === id);
    const gone = stored.filter(({ event }) => !event.bodyKept).map(({ id }) => id);
    for (const part of chunksOf(gone, 1000)) {
      const where = database.dialect.anyOf("id", part);
      await session.run(`UPDATE inbox_event SET body_dropped = 1 WHERE ${where.sql}`, where.values);
    }
    await restoreJobs(database, session, stored);
    const storedIds = new Set(idsOf(stored));
    return ids.map((id) => (id !== undefined && storedIds.has(id) ? id : undefined));
  });
};
