import { eventStates } from "@postern/core/ports";
import { type Command, Option } from "commander";
import { filtersOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import type { Columns, ItemOf } from "../print-list.ts";

export const eventColumns: Columns<ItemOf<"admin.events.list">> = {
  id: "id",
  provider: "provider",
  type: "type",
  "sender's id": "event_id",
  state: "state",
  repeats: "repeats",
  received: "received_at",
  reason: "reason",
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
    .option("--type <type>", "only of this type; * stands for any run of characters")
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
