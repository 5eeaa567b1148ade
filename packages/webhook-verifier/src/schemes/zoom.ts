import { textOf } from "#platform";
import { jsonAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { encodeHex, hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { asText, at } from "../places.ts";

import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const zoom: Scheme = definePlainScheme({
  name: "zoom",
  title: "Zoom",
  key: textSecret("hmac-sha256"),
  signature: { header: "x-zm-signature", encoding: hex, prefix: "v0=" },
  signed: "v0:{timestamp}:{body}",
  timestamp: { header: "x-zm-request-timestamp", unit: "s", toleranceSeconds: 300 },
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  data: "payload",
  repeats: [sameBody(2 * hour)],
  handshakes: [{ by: "POST", type: "application/json" }],
  handshake: async ({ body }, { verified, mac }) => {
    if (textOf(body)?.includes("endpoint.url_validation") !== true) return undefined;
    const payload = await verified();
    if (at(payload, "event") !== "endpoint.url_validation") return undefined;
    const plainToken = asText(at(payload, "payload.plainToken")) ?? "";
    return jsonAnswer({ plainToken, encryptedToken: encodeHex(await mac([plainToken])) });
  },
});

export const facts: SchemeFacts = {
  keyFrom: "Zoom App Marketplace, the app, Features, Access, Secret Token.",
  confidence: "confirmed",
  source: "https://developers.zoom.us/docs/api/webhooks/",
  handshake: "`endpoint.url_validation`: plain and encrypted token as JSON, after the signature check",
  repeats: {
    source: "https://developers.zoom.us/blog/webhook-delays",
    note: "`event_ts` is the event's time. Zoom tries again after 5, 25 and 85 minutes, signed anew.",
  },
  notes: ["Zoom names no window; five minutes is ours."],
};
