import { type Command, Option } from "commander";
import { z } from "zod";
import { eventStates } from "../event-states.ts";
import { filtersOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import type { Columns } from "../print-list.ts";

/** An event as lists have it. */
export const listedEvent = z.looseObject({
  id: z.string(),
  provider: z.string(),
  event_id: z.string().nullable(),
  type: z.string().nullable(),
  state: z.string(),
  reason: z.string().nullable(),
  received_at: z.string(),
  repeats: z.number(),
});

export const eventColumns: Columns<z.infer<typeof listedEvent>> = {
  id: ({ id }) => id,
  provider: ({ provider }) => provider,
  type: ({ type }) => type,
  "sender's id": ({ event_id }) => event_id,
  state: ({ state }) => state,
  repeats: ({ repeats }) => repeats,
  received: ({ received_at }) => received_at,
  reason: ({ reason }) => reason,
};

/** The values of the options that narrow a list of events. */
export interface EventFilterOptions {
  readonly provider?: string | undefined;
  readonly eventId?: string | undefined;
  readonly type?: string | undefined;
  readonly state?: string | undefined;
  readonly cause?: string | undefined;
  readonly since?: string | undefined;
}

/** Adds the options that narrow a list of events. */
export const withEventFilters = (command: Command): Command =>
  command
    .option("--provider <name>", "only this sender's")
    .option("--event-id <id>", "only the one with this id of the sender's")
    .option("--type <type>", "only of this type")
    .addOption(new Option("--state <state>", "only in this state").choices(eventStates))
    .option("--cause <id>", "only those whose latest failure has this cause: an id of postern causes")
    .option("--since <time>", "received since then: 30m, 24h, 7d or an RFC 3339 time");

/** The same in the API's spelling. */
export const eventFiltersOf = ({ provider, eventId, type, state, cause, since }: EventFilterOptions) =>
  filtersOf({
    provider,
    event_id: eventId,
    type,
    state,
    cause,
    "received_at][gte": since === undefined ? undefined : momentOf("--since", since),
  });
