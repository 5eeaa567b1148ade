import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { plainText } from "../plain-text.ts";
import { day, sameBody, unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const auth0: Scheme = definePlainScheme({
  name: "auth0",
  title: "Auth0 log streams",
  promises: { id: "usual", type: "usual" },
  key: textSecret("token"),
  signature: { header: "Authorization", encoding: plainText },
  signed: "{body}",
  covered: ["sender"],
  data: "data",
  repeats: [unsignedId("body:log_id"), sameBody(day)],
  items: itemsAt(undefined, { id: "log_id", type: "data.type" }),
});

export const facts: SchemeFacts = {
  keyFrom: "Auth0 dashboard, Monitoring, Streams, the custom webhook's authorization token.",
  confidence: "confirmed",
  source: "https://auth0.com/docs/customize/log-streams/custom-log-streams",
  promises: { note: "Formats other than “JSON array” send several logs in a body of their own." },
  repeats: {
    source: "https://auth0.com/docs/customize/log-streams/custom-log-streams",
    note: "Each log has a `log_id`, also where several come together.",
  },
  notes: ["Choose “JSON array” as the content format: then every log is an item of its own."],
};
