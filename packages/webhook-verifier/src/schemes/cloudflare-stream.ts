import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const cloudflareStream: Scheme = definePairsScheme({
  name: "cloudflare-stream",
  title: "Cloudflare Stream",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Webhook-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "time", signature: "sig1" },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:status.state",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "`secret` in the answer of the API that made the webhook subscription.",
  confidence: "confirmed",
  source: "https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/",
  repeats: {
    source: "https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/",
    confidence: "second-hand",
    note: "The body holds the video's state and when it changed. Retries are not documented; three days are ours.",
  },
  notes: [
    "Events have no id: `uid` is the video's. The type is the state of the video: `ready` or `error`.",
    "Cloudflare names no window. 300 seconds are ours.",
  ],
};
