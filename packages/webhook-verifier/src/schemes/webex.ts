import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const webex: Scheme = definePlainScheme({
  name: "webex",
  title: "Webex",
  key: textSecret("hmac-sha1"),
  signature: { header: "X-Spark-Signature", encoding: hex },
  signed: "{body}",
  type: ["body:resource", "body:event"],
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "confirmed",
  source: "https://developer.webex.com/docs/receive-and-verify-webhooks",
  repeats: {
    source: "https://developer.webex.com/docs/receive-and-verify-webhooks",
    note: "Bodies hold the resource with its times. Retries are not documented; an hour is ours.",
  },
  notes: ["The id in the body is the webhook's, not the event's."],
};
