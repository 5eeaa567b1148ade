import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { ecdsaDerPublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const circle: Scheme = definePlainScheme({
  name: "circle",
  title: "Circle",
  methods: ["HEAD"],
  key: ecdsaDerPublicKey("ecdsa-p256-sha256-der"),
  signature: { header: "X-Circle-Signature", encoding: base64 },
  keyIdHeader: "X-Circle-Key-Id",
  signed: "{body}",
  id: "body:notificationId",
  type: "body:notificationType",
  promises: { id: "promised", type: "promised" },
  data: "notification",
  metadata: { apiVersion: "body:version" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "`keyLookup((id) => …)` around Circle's API method `GET /v2/notifications/publicKey/{id}`.",
  confidence: "confirmed",
  source: "https://developers.circle.com/api-reference/verify-webhook-signatures",
  handshake: "HEAD, when a subscription is made: 200",
  repeats: { source: "https://developers.circle.com/api-reference/webhooks" },
};
