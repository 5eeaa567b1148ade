import { jwtScheme } from "../jwt-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const livekit: Scheme = jwtScheme({
  name: "livekit",
  title: "LiveKit",
  key: textSecret("hmac-sha256"),
  header: "Authorization",
  alg: "HS256",
  expires: true,
  keyIdClaim: "iss",
  bodyHash: { claim: "sha256", encoding: "base64" },
  id: "body:id",
  type: "body:event",
  promises: { id: "promised", type: "promised" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "JWT with `sha256` of the body",
  encoding: "JWT (HS256)",
  keyFrom: "The API secret; give the API key as `id` where you have several.",
  confidence: "confirmed",
  source: "https://github.com/livekit/node-sdks/blob/main/packages/livekit-server-sdk/src/WebhookReceiver.ts",
  repeats: {
    source: "https://github.com/livekit/protocol/blob/main/protobufs/livekit_webhook.proto",
    note: "Attempts have the same body.",
  },
  notes: [
    "The content type is `application/webhook+json`: parsers for JSON alone leave the body untouched.",
    "The token must have `exp`.",
  ],
};
