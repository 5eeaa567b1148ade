import { type EventQuery, type JobState, jobStates } from "@postern/core/ports";
import type { Knex } from "knex";
import { chunksOf, type Database, type Session } from "../engine/database.ts";
import { findRows, type Page, paged } from "../engine/query-builder.ts";
import { narrowedEvents } from "./event-lists.ts";
import { type SummaryRow, summaryColumns } from "./event-rows.ts";
import { nextEventsOfCause } from "./failure-causes.ts";

/** How many jobs are read first, or failures of a cause, and how many times as many each time after. */
const firstJobs = 2_000;
const firstOfCause = 200;
const growth = 4;

/** How many events are checked at once. */
const perCheck = 500;

/** The events of the next jobs in some states, in the order of a list of events. */
export const nextEventsOf = (
  { dialect }: Pick<Database, "dialect">,
  states: readonly JobState[],
  page: Page,
): Knex.QueryBuilder => {
  // Otherwise, MariaDB walks all jobs in the order of their events until it has found enough.
  const table = dialect.query.raw("job FORCE INDEX (with_events)");
  const jobs = dialect.query.select("event_ref").from(table).whereNotNull("event_ref");
  jobs.whereIn(
    "state",
    states.map((state) => jobStates[state]),
  );
  return paged(jobs, page, undefined, "event_ref");
};

/**
 * A page of the events in a state that follows from jobs in `states`, for MySQL and MariaDB. Each
 * read of the next jobs goes over all jobs of the states, so each takes many times as many.
 */
export const pageFromJobs = (
  database: Database,
  session: Session,
  states: readonly JobState[],
  page: EventQuery,
): Promise<SummaryRow[]> =>
  pageFrom(database, session, page, firstJobs, (next) => nextEventsOf(database, states, next));

/** A page of the events of a cause. The rest of the filter is checked for each of them. */
export const pageOfCause = (
  database: Database,
  session: Session,
  { cause, ...page }: EventQuery & { readonly cause: string },
): Promise<SummaryRow[]> =>
  pageFrom(database, session, page, firstOfCause, (next) => nextEventsOfCause(database, cause, next));

/**
 * Reads the next events from an index, checks them in order, and stops when the page is full. `first` is
 * how many are read first. `select` selects the ids of the next ones, in the order of a list.
 */
const pageFrom = async (
  database: Database,
  session: Session,
  page: EventQuery,
  first: number,
  select: (page: Page) => Knex.QueryBuilder,
): Promise<SummaryRow[]> => {
  const found: SummaryRow[] = [];
  let place: Pick<Page, "before" | "after"> = page;
  for (let limit = first; ; limit *= growth) {
    const jobs = await findRows<{ event_ref: number }>(session, select({ ...place, limit }));
    const ids = [...new Set(jobs.map(({ event_ref: id }) => id))];
    for (const chunk of chunksOf(ids, perCheck)) {
      const events = narrowedEvents(database, page, "events").whereIn("id", chunk).select(summaryColumns);
      found.push(
        ...(await findRows<SummaryRow>(session, paged(events, { ...page, limit: page.limit - found.length }))),
      );
      if (found.length === page.limit) return found;
    }
    const last = ids.at(-1);
    if (jobs.length < limit || last === undefined) return found;
    place = page.after === undefined ? { before: last } : { after: last };
  }
};
