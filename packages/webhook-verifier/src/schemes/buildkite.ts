import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const buildkite: Scheme = definePairsScheme({
  name: "buildkite",
  title: "Buildkite",
  headers: ["x-buildkite-event", "x-buildkite-request"],
  credentials: ["header:x-buildkite-token"],
  key: textSecret("hmac-sha256"),
  signature: {
    header: "X-Buildkite-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "timestamp", signature: "signature" },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "Notification Services, the webhook's token, with “Send an HMAC signature” chosen.",
  confidence: "confirmed",
  source: "https://buildkite.com/docs/apis/webhooks/pipelines",
  repeats: {
    source: "https://buildkite.com/docs/apis/webhooks/pipelines",
    note: "Only the time of dispatch is signed anew. Retries are not documented; three days are ours.",
  },
  notes: [
    "Buildkite names no window; five minutes is ours.",
    "With a plain `X-Buildkite-Token` chosen instead, nothing is signed: take the scheme `token`.",
  ],
};
