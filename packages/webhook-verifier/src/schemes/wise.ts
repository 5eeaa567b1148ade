import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const wise: Scheme = definePlainScheme({
  name: "wise",
  title: "Wise",
  headers: ["x-test-notification"],
  credentials: ["header:x-signature"],
  key: rsaPublicKey("rsa-sha256"),
  signature: { header: "X-Signature-SHA256", encoding: base64 },
  signed: "{body}",
  id: "header:x-delivery-id",
  type: "body:event_type",
  promises: { id: "usual", type: "promised" },
  data: "data",
  metadata: { apiVersion: "body:schema_version" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The PEM Wise publishes for sandbox or production (documentation, Webhooks, Event handling).",
  confidence: "confirmed",
  source: "https://docs.wise.com/guides/developer/webhooks/event-handling",
  repeats: { source: "https://docs.wise.com/guides/developer/webhooks/event-handling", confidence: "second-hand" },
  notes: ["`data.current_state` and the like may repeat: the delivery id is not covered."],
};
