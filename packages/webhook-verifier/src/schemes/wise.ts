import { base64 } from "../base64.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { rsaPublicKey } from "../keys/public.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/** Wise: `X-Signature-SHA256: <base64>`, RSA with SHA-256 over the body. */
export const wise: Scheme = definePlainScheme({
  name: "wise",
  title: "Wise",
  key: rsaPublicKey("rsa-sha256"),
  signature: { header: "X-Signature-SHA256", encoding: base64 },
  signed: "{body}",
  id: "header:x-delivery-id",
  type: "body:event_type",
  data: "data",
  metadata: { apiVersion: "body:schema_version" },
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The PEM Wise publishes for sandbox or production (documentation, Webhooks, Event handling).",
  confidence: "confirmed",
  source: "https://docs.wise.com/guides/developer/webhooks/event-handling",
  notes: ["`data.current_state` and the like may repeat: the delivery id is not covered."],
};
