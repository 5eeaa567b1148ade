import { eventStateOf, eventStateRules } from "@postern/core/internal";
import { type EventState, type JobState, jobStates, type StoredEvent } from "@postern/core/ports";
import type { Database, Session } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import { stateName } from "./job-rows.ts";

type EventDisposition = StoredEvent["disposition"];
type EventStateRule = (typeof eventStateRules)[number];

export const dispositions = { accepted: 0, ignored: 1, quarantined: 2, discarded: 3 } as const satisfies Record<
  EventDisposition,
  number
>;

const dispositionNames = ["accepted", "ignored", "quarantined", "discarded"] as const;

/** A code that is not known here is read as `quarantined`: no handler gets such an event. */
export const dispositionName = (code: number): EventDisposition => dispositionNames[code] ?? "quarantined";

export const isKnownDisposition = (code: number): boolean => dispositionNames[code] !== undefined;

/** Whether events are in this state because of their disposition, whatever their jobs are. */
export const isDisposed = (state: EventState): state is "ignored" | "quarantined" | "discarded" =>
  state in dispositions;

/** How many of an event's current jobs are in one state. */
interface JobCount {
  readonly event_ref: number;
  readonly state: number;
  /** 1 when one of them has run before. */
  readonly tried: number;
}

/**
 * The states of accepted events. They follow from the jobs, so nothing is written for them when a
 * job changes.
 */
export const statesOf = async (
  { dialect }: Database,
  session: Session,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventState>> => {
  if (ids.length === 0) return new Map();
  const where = dialect.anyOf("event_ref", ids);
  const counts = await session.rows<JobCount>(
    `SELECT event_ref, state, MAX(CASE WHEN attempt > 0 OR losses > 0 THEN 1 ELSE 0 END) AS tried
       FROM job WHERE ${where.sql} AND replaced_by IS NULL GROUP BY event_ref, state`,
    where.values,
  );
  const byEvent = new Map<number, { state: JobState; tried: boolean }[]>(ids.map((id) => [id, []]));
  for (const { event_ref: id, state, tried } of counts) {
    byEvent.get(id)?.push({ state: stateName(state), tried: tried === 1 });
  }
  return new Map([...byEvent].map(([id, own]) => [id, eventStateOf("accepted", own)]));
};

const codesOf = (states: readonly JobState[]): string => states.map((state) => jobStates[state]).join(", ");

const tried = "(job.attempt > 0 OR job.losses > 0)";

/**
 * Compares a value, as `ownJob` does: PostgreSQL would join an `EXISTS` with all jobs while it does not
 * know how many there are.
 */
const none = (jobs: string): string =>
  `(SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND job.replaced_by IS NULL AND ${jobs} LIMIT 1) IS NULL`;

/**
 * The condition for events that have a job which fits the rule. It starts from the jobs and uses
 * the index of their state. With partial indexes it has one part for each state, because each state has a
 * partial index. MySQL would run such a union again for each event.
 */
const among = ({ hasPartialIndexes }: Dialect, rule: EventStateRule): string => {
  const from = "SELECT job.event_ref FROM job WHERE job.replaced_by IS NULL AND";
  const more = rule.tried === true ? ` AND ${tried}` : "";
  if (!hasPartialIndexes) {
    return `inbox_event.id IN (${from} job.state IN (${codesOf(rule.jobs)})${more})`;
  }
  return `inbox_event.id IN (${rule.jobs.map((state) => `${from} job.state = ${jobStates[state]}${more}`).join(" UNION ALL ")})`;
};

/**
 * The same condition for events that are checked one by one. It compares a value, because MariaDB
 * would first gather all jobs of an `EXISTS`.
 */
const ownJob = (rule: EventStateRule): string => {
  const more = rule.tried === true ? ` AND ${tried}` : "";
  return `(SELECT 1 FROM job WHERE job.event_ref = inbox_event.id AND job.replaced_by IS NULL AND job.state IN (${codesOf(rule.jobs)})${more} LIMIT 1) = 1`;
};

/** The conditions for events that have no job which fits one of the rules. */
const fitsNone = (rules: readonly EventStateRule[]): readonly string[] => {
  const whole = rules.filter((rule) => rule.tried !== true).flatMap(({ jobs }) => jobs);
  const rest = rules.filter((rule) => rule.tried === true && !rule.jobs.every((state) => whole.includes(state)));
  return [
    ...(whole.length === 0 ? [] : [none(`job.state IN (${codesOf(whole)})`)]),
    ...rest.map(({ jobs }) => none(`job.state IN (${codesOf(jobs)}) AND ${tried}`)),
  ];
};

const accepted = `inbox_event.disposition = ${dispositions.accepted}`;
/**
 * Says a second time that the event is not accepted, because SQLite's index contains only such
 * events.
 */
const notAccepted = (disposition: number): string =>
  `inbox_event.disposition = ${disposition} AND inbox_event.disposition <> ${dispositions.accepted}`;

/**
 * The states of the jobs from which events of this state can be found; none if each event must be
 * checked.
 */
export const jobsOfState = (state: EventState): readonly JobState[] =>
  eventStateRules.find((rule) => rule.state === state)?.jobs ?? [];

/**
 * The rules of the life cycle as a condition, for lists of one state: a job fits the rule of the
 * state, and no job fits an earlier rule. States are written into the text, so that SQLite can use
 * its partial indexes. With `from` set to `jobs`, the jobs in these states are gathered, which
 * takes longer the more there are. With `events`, each event is checked.
 */
export const stateCondition = (dialect: Dialect, state: EventState, from: "jobs" | "events" = "jobs"): string => {
  if (isDisposed(state)) return notAccepted(dispositions[state]);
  const at = eventStateRules.findIndex((rule) => rule.state === state);
  const rule = eventStateRules[at];
  if (rule === undefined) return [accepted, ...fitsNone(eventStateRules)].join(" AND ");
  const fits = from === "jobs" ? among(dialect, rule) : ownJob(rule);
  return [accepted, fits, ...fitsNone(eventStateRules.slice(0, at))].join(" AND ");
};
