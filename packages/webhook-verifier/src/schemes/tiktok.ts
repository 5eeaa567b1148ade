import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const tiktok: Scheme = definePairsScheme({
  name: "tiktok",
  title: "TikTok",
  key: textSecret("hmac-sha256"),
  signature: { header: "TikTok-Signature", encoding: hex, pairs: { separator: ",", timestamp: "t", signature: "s" } },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(73 * hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "TikTok for Developers, Manage apps, the app's client secret.",
  confidence: "confirmed",
  source: "https://developers.tiktok.com/doc/webhooks-verification",
  repeats: {
    source: "https://developers.tiktok.com/doc/webhooks-overview",
    confidence: "second-hand",
    note: "`create_time` is the event's time. TikTok tries again for 72 hours, signed anew.",
  },
  notes: [
    "TikTok names no window; five minutes is ours.",
    "TikTok Shop signs otherwise: these are the webhooks of developers.tiktok.com.",
  ],
};
