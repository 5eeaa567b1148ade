import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const nango: Scheme = definePlainScheme({
  name: "nango",
  title: "Nango",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Nango-Hmac-Sha256", encoding: hex },
  signed: "{body}",
  type: "body:type",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom:
    "Nango, Environment Settings, Webhooks, the signing key; environments made before 21 April 2026 sign with their secret key.",
  confidence: "confirmed",
  source: "https://nango.dev/docs/guides/platform/webhooks-from-nango",
  repeats: {
    source: "https://nango.dev/docs/guides/platform/webhooks-from-nango",
    note: "Nango tries again within minutes. One hour is ours: what says nothing but that a connection failed can recur.",
  },
  notes: [
    "A webhook of another sender that Nango forwards has the type `forward`, and that sender's body in `payload`.",
    "The older header `X-Nango-Signature` is not read: it is a plain hash of secret and body, which can be extended.",
  ],
};
