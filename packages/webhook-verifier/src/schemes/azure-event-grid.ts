import { emptyAnswer, jsonAnswer } from "../answers.ts";
import { readable } from "../cloud-event.ts";
import { findHeader } from "../headers.ts";
import { asText, at } from "../places.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { token } from "./token.ts";

/** As which it asks. */
const origin = "eventgrid.azure.net";

/** The first member of a list: with its own schema, Event Grid always sends lists. */
const first = (payload: unknown): unknown => (Array.isArray(payload) ? payload[0] : payload);

export const azureEventGrid: Scheme = {
  ...token,
  name: "azure-event-grid",
  methods: undefined,
  json: "promised",
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
    // CloudEvents come one by one as well.
    const events = at(payload, "specversion") === undefined ? payload : [payload];
    if (!Array.isArray(events)) return undefined;
    return events.map(readable).map((event) => ({
      id: asText(at(event, "id")),
      type: asText(at(event, "eventType")) ?? asText(at(event, "type")),
      payload: event,
    }));
  },
  handshakes: [{ by: "OPTIONS" }, { by: "POST", type: "application/json" }],
  handshake: async ({ method, headers }, { verified }) => {
    // With the CloudEvents schema, Event Grid asks in the way of CloudEvents.
    if (method === "OPTIONS" && findHeader(headers, "webhook-request-origin") === origin)
      return emptyAnswer(200, { allow: "POST", "webhook-allowed-origin": origin, "webhook-allowed-rate": "*" });
    const kind = findHeader(headers, "aeg-event-type");
    if (kind !== "SubscriptionValidation") return undefined;
    const validationResponse = asText(at(first(await verified()), "data.validationCode"));
    return validationResponse === undefined ? undefined : jsonAnswer({ validationResponse });
  },
};

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "nothing: the secret itself is shown",
  encoding: "text",
  keyFrom: "You choose it: put it into the query of the endpoint's URL, or into a secret delivery header.",
  confidence: "second-hand",
  source: "https://learn.microsoft.com/en-us/azure/event-grid/end-point-validation-event-grid-events-schema",
  promises: {
    source: "https://learn.microsoft.com/en-us/azure/event-grid/input-mappings",
    note: "A topic with an input schema of its own forwards what was published.",
  },
  handshake:
    "POST `SubscriptionValidation`: the validation code as JSON, after the check of the token; with the CloudEvents schema OPTIONS: its own origin is allowed",
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
