import { asText, at } from "./places.ts";
import type { FoundItem } from "./scheme.ts";

/** What makes a HubSpot event itself; `attemptNumber` changes with every retry and is left out. */
const identity = ["eventId", "subscriptionId", "portalId", "objectId", "occurredAt"] as const;

/** HubSpot sends lists of events. Its event ids are not unique by promise, so that subject and time join them. */
export const hubspotItems = (payload: unknown): readonly FoundItem[] | undefined =>
  Array.isArray(payload)
    ? payload.map((event: unknown) => ({
        id: identity.flatMap((name) => asText(at(event, name)) ?? []).join(":") || undefined,
        type: asText(at(event, "subscriptionType")),
        payload: event,
      }))
    : undefined;
