import { isPattern } from "@postern/core/internal";
import type { EventFilter, EventQuery } from "@postern/core/ports";
import type { Knex } from "knex";
import type { Database } from "../engine/database.ts";
import { type Lead, paged } from "../engine/query-builder.ts";
import { dispositions, isDisposed, stateCondition } from "./event-state.ts";
import { eventsOfCause } from "./failure-causes.ts";

type OnDialect = Pick<Database, "dialect">;

const ofType = ({ dialect }: OnDialect, events: Knex.QueryBuilder, type: string): void => {
  if (isPattern(type)) {
    const { sql, values } = dialect.fitsPattern("type", type);
    if (type !== "*") events.whereRaw(sql, values as Knex.Value[]);
    return;
  }
  events.where("type", type);
  if (dialect.typeHash !== undefined) events.where("type_hash", dialect.typeHash(type));
};

/** Selects the events that fit a filter, in no order. `from`: see `stateCondition`. */
export const narrowedEvents = (
  database: OnDialect,
  filter: EventFilter,
  from: "jobs" | "events" = "jobs",
): Knex.QueryBuilder => {
  const { dialect } = database;
  const { provider, eventId, ids, type, state, since, until, cause } = filter;
  const events = dialect.query("inbox_event");
  if (provider !== undefined) events.where("provider", provider);
  if (eventId !== undefined) events.where("event_id", eventId);
  if (ids !== undefined) events.whereIn("id", [...ids]);
  if (type !== undefined) ofType(database, events, type);
  if (since !== undefined) events.where("received_at", ">=", since);
  if (until !== undefined) events.where("received_at", "<", until);
  // Raw, because SQLite uses its partial indexes only if the states are written into the text.
  if (state !== undefined) events.whereRaw(stateCondition(dialect, state, from));
  if (cause !== undefined) events.whereIn("id", eventsOfCause(database, cause));
  return events;
};

/** An index that has the rows of a list in the list's order. */
interface Way {
  readonly lead: Lead;
  /** The events that fit the rest of the filter. */
  readonly events: Knex.QueryBuilder;
}

/** The index for a list where every index has all rows; `undefined` if the server must choose. */
const wayOf = (database: OnDialect, query: EventQuery): Way | undefined => {
  const { provider, type, state } = query;
  // Few events have the same id.
  if (query.eventId !== undefined || query.ids !== undefined) return undefined;
  if (type !== undefined && !isPattern(type)) {
    // Either of the two may have fewer events.
    if (state !== undefined) return undefined;
    const { type: _, ...others } = query;
    // Different types can have the same hash.
    const events = narrowedEvents(database, others).where("type", type);
    const value = database.dialect.typeHash?.(type) ?? type;
    return { lead: { column: "type_hash", value }, events };
  }
  if (state !== undefined && isDisposed(state)) {
    const { state: _, ...others } = query;
    return { lead: { column: "disposition", value: dispositions[state] }, events: narrowedEvents(database, others) };
  }
  if (provider === undefined || state !== undefined) return undefined;
  const { provider: _, ...others } = query;
  return { lead: { column: "provider", value: provider }, events: narrowedEvents(database, others) };
};

/**
 * Selects a page of a list of events. By provider, by type, and in the states `quarantined`,
 * `ignored` and `discarded`, it costs the same wherever it lies.
 */
export const pageOfEvents = (database: OnDialect, query: EventQuery): Knex.QueryBuilder => {
  const way = database.dialect.hasPartialIndexes ? undefined : wayOf(database, query);
  return way === undefined ? paged(narrowedEvents(database, query), query) : paged(way.events, query, way.lead);
};
