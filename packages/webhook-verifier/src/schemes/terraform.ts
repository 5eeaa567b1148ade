import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const terraform: Scheme = definePlainScheme({
  name: "terraform",
  title: "HCP Terraform",
  key: textSecret("hmac-sha512"),
  signature: { header: "X-TFE-Notification-Signature", encoding: hex },
  signed: "{body}",
  type: "body:notifications.0.trigger|trigger",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(hour)],
});

export const facts: SchemeFacts = {
  keyFrom: "The token you gave the notification configuration.",
  confidence: "second-hand",
  source:
    "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations#notification-authenticity",
  repeats: {
    source: "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations",
    confidence: "second-hand",
    note: "A run's notifications hold its state and the time of that. Retries are not documented; an hour is ours.",
  },
  notes: ["A run is told of several times: its id is no event id."],
};
