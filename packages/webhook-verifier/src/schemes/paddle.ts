import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const paddle: Scheme = definePairsScheme({
  name: "paddle",
  title: "Paddle Billing",
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Paddle-Signature",
    encoding: hex,
    pairs: { separator: ";", timestamp: "ts", signature: "h1" },
  },
  signed: "{timestamp}:{body}",
  timestamp: { unit: "s", toleranceSeconds: 5 },
  id: "body:event_id",
  type: "body:event_type",
  promises: { id: "promised", type: "promised" },
  data: "data",
  // One event can go to several destinations. Each notification has an id of its own.
  metadata: { deliveryId: "body:notification_id" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Paddle, Developer tools, Notifications, the destination, Secret key.",
  confidence: "confirmed",
  source: "https://developer.paddle.com/webhooks/signature-verification",
  promises: { source: "https://developer.paddle.com/webhooks/about/how-webhooks-work" },
  repeats: {
    source: "https://developer.paddle.com/webhooks/signature-verification",
    note: "`notification_id` is the destination's own.",
  },
  notes: ["Five seconds is what Paddle's own SDK allows."],
};
