import { asText, at } from "./places.ts";
import type { FoundItem } from "./scheme.ts";

/** What versions 1 and 2 prove, for their documentation. */
export const plainHashNotes: readonly string[] = [
  "A plain SHA-256 of secret and content, not an HMAC, and no time is signed: use `hubspot-v3` where HubSpot sends it.",
  "Someone who saw one signature can compute that of a longer body (length extension). The glue between the two parts is never UTF-8, so bodies that are not UTF-8 JSON are refused. Receivers without this check accept such forgeries.",
];

/**
 * The members that identify a HubSpot event. `attemptNumber` is left out, because it changes with
 * every retry.
 */
const identity = ["eventId", "subscriptionId", "portalId", "objectId", "occurredAt"] as const;

/**
 * The items of HubSpot's lists of events. HubSpot does not promise that event ids are unique, so
 * subject and time are added to them.
 */
export const hubspotItems = (payload: unknown): readonly FoundItem[] | undefined =>
  Array.isArray(payload)
    ? payload.map((event: unknown) => ({
        id: identityOf(event),
        type: asText(at(event, "subscriptionType")),
        payload: event,
      }))
    : undefined;

const identityOf = (event: unknown): string | undefined => {
  const present = identity.map((name) => at(event, name)).filter((value) => value !== undefined);
  const texts = present.map(asText);
  // If one part is not exact, the event gets no id, because two events must not share one.
  return texts.includes(undefined) ? undefined : texts.join(":") || undefined;
};
