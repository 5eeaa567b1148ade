import { jsonAnswer } from "../answers.ts";
import { findHeader } from "../headers.ts";
import { asText, at } from "../places.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { token } from "./token.ts";

/** The first member of a list: Event Grid always sends lists. */
const first = (payload: unknown): unknown => (Array.isArray(payload) ? payload[0] : payload);

/**
 * Azure Event Grid with its own event schema does not sign: a secret in the endpoint's URL or in a
 * delivery header says who calls. **Nothing of the request is authenticated.** The subscription is
 * validated by answering its code. With the CloudEvents schema take `cloudevents`. This is known
 * from other libraries and guides.
 * @see https://learn.microsoft.com/en-us/azure/event-grid/end-point-validation-event-grid-events-schema
 */
export const azureEventGrid: Scheme = {
  ...token,
  name: "azure-event-grid",
  title: "Azure Event Grid",
  promises: { id: "usual", type: "usual" },
  headers: [
    "aeg-event-type",
    "aeg-subscription-name",
    "aeg-delivery-count",
    "aeg-data-version",
    "aeg-metadata-version",
    "aeg-output-event-id",
    "ce-*",
  ],
  data: "data",
  metadata: { apiVersion: "body:dataVersion" },
  repeats: [sameBody(25 * hour)],
  items: (payload) => {
    if (!Array.isArray(payload)) return undefined;
    return payload.map((event: unknown) => ({
      id: asText(at(event, "id")),
      type: asText(at(event, "eventType")),
      payload: event,
    }));
  },
  handshake: async ({ headers }, { verified }) => {
    const kind = findHeader(headers, "aeg-event-type");
    if (kind !== "SubscriptionValidation") return undefined;
    const validationResponse = asText(at(first(await verified()), "data.validationCode"));
    return validationResponse === undefined ? undefined : jsonAnswer({ validationResponse });
  },
};

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "nothing: the secret itself is shown",
  encoding: "text",
  keyFrom: "You choose it: put it into the query of the endpoint's URL, or into a secret delivery header.",
  confidence: "second-hand",
  source: "https://learn.microsoft.com/en-us/azure/event-grid/end-point-validation-event-grid-events-schema",
  handshake: "POST `SubscriptionValidation`: the validation code as JSON, after the check of the token",
  promises: {
    source: "https://learn.microsoft.com/en-us/azure/event-grid/input-mappings",
    note: "A topic with an input schema of its own forwards what was published.",
  },
  repeats: {
    source: "https://learn.microsoft.com/en-us/azure/event-grid/delivery-and-retry",
    confidence: "second-hand",
    note: "Each event has an id, which is unique for its source. Event Grid tries again for a day.",
  },
  notes: [
    "Only the sender is known; use TLS, and do not let the token reach a log. URLs reach logs easily: take a header where the sender can set one.",
    "With `query`, do not give the verifier a `url` that holds the token itself: it would stand in for the request's own.",
  ],
};
