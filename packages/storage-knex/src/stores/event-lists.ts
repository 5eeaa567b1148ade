import type { EventFilter, EventQuery } from "@postern/core";
import type { Knex } from "knex";
import type { Database } from "../database.ts";
import { type Lead, paged } from "../query-builder.ts";
import { dispositions, stateCondition } from "./event-state.ts";

/** Selects the events that fit a filter, in no order. `from`: see `stateCondition`. */
export const narrowedEvents = (
  { dialect }: Pick<Database, "dialect">,
  filter: EventFilter,
  from: "jobs" | "events" = "jobs",
): Knex.QueryBuilder => {
  const { provider, eventId, type, state, since, until } = filter;
  const events = dialect.query("inbox_event");
  if (provider !== undefined) events.where("provider", provider);
  if (eventId !== undefined) events.where("event_id", eventId);
  if (type !== undefined) events.where("type", type);
  if (since !== undefined) events.where("received_at", ">=", since);
  if (until !== undefined) events.where("received_at", "<", until);
  // Raw, because SQLite uses its partial indexes only if the states are written into the text.
  if (state !== undefined) events.whereRaw(stateCondition(dialect, state, from));
  return events;
};

/** Names the index that has the rows of a list in the list's order, for MySQL and MariaDB. */
const leadOf = ({ provider, eventId, type, state }: EventFilter): Lead | undefined => {
  // Few events have the same id, and those of a type have their own index.
  if (eventId !== undefined || type !== undefined) return undefined;
  if (state === "quarantined" || state === "ignored") return { column: "disposition", value: dispositions[state] };
  return provider === undefined || state !== undefined ? undefined : { column: "provider", value: provider };
};

/**
 * Selects a page of a list of events. By provider, and in the states `quarantined` and `ignored`, it
 * costs the same wherever it lies.
 */
export const pageOfEvents = (database: Pick<Database, "dialect">, query: EventQuery): Knex.QueryBuilder => {
  const lead = database.dialect.name === "mysql" ? leadOf(query) : undefined;
  if (lead === undefined) return paged(narrowedEvents(database, query), query);
  const { [lead.column === "provider" ? "provider" : "state"]: _, ...rest } = query;
  return paged(narrowedEvents(database, rest), query, lead);
};
