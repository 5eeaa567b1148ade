import { type EventDisposition, type EventState, jobStates } from "@postern/core";
import type { Database, Session } from "../database.ts";
import type { Dialect } from "../dialect.ts";

export const dispositions = { accepted: 0, ignored: 1, quarantined: 2 } as const satisfies Record<
  EventDisposition,
  number
>;

export const dispositionName = (code: number): EventDisposition =>
  code === dispositions.accepted ? "accepted" : code === dispositions.ignored ? "ignored" : "quarantined";

/** What an event's current jobs in one state come to. */
interface JobTally {
  readonly event_ref: number;
  readonly state: number;
  /** 1 when one of them has run before. */
  readonly tried: number;
}

const waiting: ReadonlySet<number> = new Set([jobStates.ready, jobStates.scheduled, jobStates.blocked]);

const stateOf = (tallies: readonly JobTally[]): EventState => {
  const has = (code: number): boolean => tallies.some(({ state }) => state === code);
  if (has(jobStates.running)) return "processing";
  if (has(jobStates.dead)) return "dead";
  const open = tallies.filter(({ state }) => waiting.has(state));
  if (open.some(({ tried }) => tried === 1)) return "retrying";
  if (open.length > 0) return "received";
  return has(jobStates.cancelled) ? "cancelled" : "processed";
};

/** Where accepted events stand. Nothing is written for it when a job moves. */
export const statesOf = async (
  { dialect }: Database,
  session: Session,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventState>> => {
  if (ids.length === 0) return new Map();
  const where = dialect.anyOf("event_ref", ids);
  const tallies = await session.rows<JobTally>(
    `SELECT event_ref, state, MAX(CASE WHEN attempt > 0 OR losses > 0 THEN 1 ELSE 0 END) AS tried
       FROM job WHERE ${where.sql} AND replaced_by IS NULL GROUP BY event_ref, state`,
    where.values,
  );
  const byEvent = new Map<number, JobTally[]>(ids.map((id) => [id, []]));
  for (const tally of tallies) byEvent.get(tally.event_ref)?.push(tally);
  return new Map([...byEvent].map(([id, own]) => [id, stateOf(own)]));
};

const { ready, scheduled, running, blocked, dead, cancelled } = jobStates;

const some = (jobs: string): string =>
  `EXISTS (SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND job.replaced_by IS NULL AND ${jobs})`;
const isRunning = `job.state = ${running}`;
const isDead = `job.state = ${dead}`;
const tried = "(job.attempt > 0 OR job.losses > 0)";
const isWaiting = `job.state IN (${ready}, ${scheduled}, ${blocked})`;

const from = "SELECT job.event_ref FROM job WHERE job.replaced_by IS NULL AND";
/** Found from the jobs' side, by the index of that state, where few events are in it. */
const among = (jobs: string): string => `inbox_event.id IN (${from} ${jobs})`;

/** One part per state, each of which has a partial index on SQLite; MySQL would run such a union anew for each event. */
const amongWaiting = ({ name }: Dialect, more: string): string =>
  name === "mysql"
    ? among(`${isWaiting}${more}`)
    : `inbox_event.id IN (${[ready, scheduled, blocked].map((state) => `${from} job.state = ${state}${more}`).join(" UNION ALL ")})`;

const accepted = `inbox_event.disposition = ${dispositions.accepted}`;
/** Says once more what is not accepted: SQLite's index holds only those. */
const notAccepted = (disposition: number): string =>
  `inbox_event.disposition = ${disposition} AND inbox_event.disposition <> 0`;

/** The same rules as a condition, for lists of one state. States stand in the text, so that SQLite can use its partial indexes. */
export const stateCondition = (dialect: Dialect, state: EventState): string => {
  const settled = `NOT ${some(`job.state IN (${running}, ${dead})`)}`;
  switch (state) {
    case "quarantined":
      return notAccepted(dispositions.quarantined);
    case "ignored":
      return notAccepted(dispositions.ignored);
    case "processing":
      return `${accepted} AND ${among(isRunning)}`;
    case "dead":
      return `${accepted} AND ${among(isDead)} AND NOT ${some(isRunning)}`;
    case "retrying":
      return `${accepted} AND ${amongWaiting(dialect, ` AND ${tried}`)} AND ${settled}`;
    case "received":
      return `${accepted} AND ${amongWaiting(dialect, "")} AND ${settled} AND NOT ${some(`${isWaiting} AND ${tried}`)}`;
    case "cancelled":
      return `${accepted} AND ${among(`job.state = ${cancelled}`)} AND ${settled} AND NOT ${some(isWaiting)}`;
    case "processed":
      return `${accepted} AND NOT ${some(`job.state IN (${running}, ${dead}, ${cancelled})`)} AND NOT ${some(isWaiting)}`;
  }
};
