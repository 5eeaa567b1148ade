import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { ed25519PublicKey } from "../keys/public.ts";
import { signedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const telnyx: Scheme = definePlainScheme({
  name: "telnyx",
  title: "Telnyx",
  key: ed25519PublicKey(),
  signature: { header: "telnyx-signature-ed25519", encoding: base64 },
  signed: "{timestamp}|{body}",
  timestamp: { header: "telnyx-timestamp", unit: "s", toleranceSeconds: 300 },
  id: "body:data.id",
  type: "body:data.event_type",
  promises: { id: "promised", type: "promised" },
  data: "data.payload",
  metadata: { attempt: "body:meta.attempt" },
  repeats: [signedId],
});

export const facts: SchemeFacts = {
  keyFrom: "Mission Control Portal, Keys & Credentials, Public Key (base64).",
  confidence: "confirmed",
  source: "https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks",
  repeats: { source: "https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks" },
};
