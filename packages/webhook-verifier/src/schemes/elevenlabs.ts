import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const elevenlabs: Scheme = definePairsScheme({
  name: "elevenlabs",
  title: "ElevenLabs",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "ElevenLabs-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v0" },
  },
  timestamp: { unit: "s", toleranceSeconds: 1800 },
  signed: "{timestamp}.{body}",
  type: "body:type",
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "ElevenLabs, Settings, Webhooks, the webhook's secret.",
  confidence: "confirmed",
  source: "https://github.com/elevenlabs/elevenlabs-js/blob/main/src/wrapper/webhooks.ts",
  repeats: {
    source:
      "https://github.com/elevenlabs/elevenlabs-docs/blob/main/fern/docs/pages/product-guides/administration/webhooks.mdx",
    note: "`event_timestamp` is the event's time. The time of retries is not documented; three days are ours.",
  },
};
