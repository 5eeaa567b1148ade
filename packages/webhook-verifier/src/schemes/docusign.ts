import { base64 } from "../base64.ts";
import { readContent } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const docusign: Scheme = definePlainScheme({
  name: "docusign",
  title: "Docusign",
  key: textSecret("hmac-sha256"),
  signature: {
    header: [
      "X-DocuSign-Signature-1",
      "X-DocuSign-Signature-2",
      "X-DocuSign-Signature-3",
      "X-DocuSign-Signature-4",
      "X-DocuSign-Signature-5",
    ],
    encoding: base64,
  },
  signed: "{body}",
  parse: readContent,
  json: "usual",
  type: "body:event",
  promises: { id: "absent", type: "usual" },
  data: "data",
  metadata: { attempt: "body:retryCount", apiVersion: "body:apiVersion" },
  repeats: [sameBody(15 * day, ["retryCount"])],
});

export const facts: SchemeFacts = {
  keyFrom: "eSignature Settings, Connect, Connect Keys.",
  confidence: "confirmed",
  source: "https://developers.docusign.com/platform/webhooks/connect/validate/",
  promises: {
    source: "https://developers.docusign.com/platform/webhooks/connect/json-sim-event-model/",
    note: "Bodies in the older formats name no event.",
  },
  repeats: {
    source: "https://developers.docusign.com/platform/webhooks/connect/retries-and-failures/",
    confidence: "second-hand",
    note: "Bodies hold the time of their event. Docusign tries again for 15 days.",
  },
  notes: ["Docusign can send up to a hundred such headers; the first five are read."],
};
