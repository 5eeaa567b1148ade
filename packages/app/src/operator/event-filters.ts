import { type EventFilter, eventStates } from "@postern/core/ports";
import type { Providers } from "@postern/inbox";
import { keysOfId, type ReplayParts } from "@postern/inbox/internal";
import { z } from "zod";
import { given } from "./given-members.ts";
import { causeText, nameText, storableText, typeText } from "./wire/texts.ts";
import { millisecondsOf, moment, orDay } from "./wire/times.ts";

export const eventFilters = {
  "filter[provider]": nameText(64),
  "filter[event_id]": storableText(256).meta({
    description:
      "The sender's own id of the event. If any has it as the key by which repeats are told, only such events are answered.",
  }),
  "filter[type]": typeText,
  "filter[state]": z.enum(eventStates),
  "filter[cause]": causeText.meta({
    description: "Only events whose latest failure has this cause: an id of `GET /admin/causes`.",
  }),
  "filter[received_at][gte]": orDay(moment).meta({ description: "Only events received at this time or later." }),
  "filter[received_at][lt]": orDay(moment).meta({ description: "Only events received before this time." }),
};

const eventFilterOf = (filters: Readonly<Record<string, unknown>>): EventFilter => {
  const asked = z.object(eventFilters).partial().parse(filters);
  return given({
    provider: asked["filter[provider]"],
    eventId: asked["filter[event_id]"],
    type: asked["filter[type]"],
    state: asked["filter[state]"],
    cause: asked["filter[cause]"],
    since: millisecondsOf(asked["filter[received_at][gte]"]),
    until: millisecondsOf(asked["filter[received_at][lt]"]),
  });
};

/** Under the keys of so many senders an event is looked for. */
const mostSenders = 100;

/** What the operations on events need. */
export interface EventParts extends ReplayParts {
  readonly providers: Pick<Providers, "find" | "configured">;
}

/** The names of all senders, as many as events are looked for of. */
export const senderNames = async ({ ports, providers }: EventParts): Promise<readonly string[]> => {
  const stored = await ports.storage.providers.list();
  return [...providers.configured.keys(), ...stored.map(({ name }) => name)].slice(0, mostSenders);
};

/**
 * The filter, with the events that stand under the sender's id as their key if there are any: they
 * are found at once, however many events there are. Only if there are none, all events are looked at.
 */
export const eventFilterFor = async (
  parts: EventParts,
  filters: Readonly<Record<string, unknown>>,
): Promise<EventFilter> => {
  const filter = eventFilterOf(filters);
  const { eventId, provider } = filter;
  if (eventId === undefined) return filter;
  const names = provider === undefined ? await senderNames(parts) : [provider];
  const keys = names.flatMap((name) => keysOfId(eventId).map((dedupeKey) => ({ provider: name, dedupeKey })));
  const ids = await parts.ports.storage.events.holders(keys);
  return ids.length === 0 ? filter : { ...filter, ids };
};
