import { base64 } from "../base64.ts";
import { readContent } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { itemsAt } from "../items.ts";
import { ecdsaDerPublicKey } from "../keys/public.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const sendgrid: Scheme = definePlainScheme({
  name: "sendgrid",
  title: "SendGrid",
  promises: { id: "usual", type: "usual" },
  parse: readContent,
  json: "usual",
  key: ecdsaDerPublicKey("ecdsa-p256-sha256-der"),
  signature: { header: "X-Twilio-Email-Event-Webhook-Signature", encoding: base64 },
  signed: "{timestamp}{body}",
  timestamp: { header: "X-Twilio-Email-Event-Webhook-Timestamp", unit: "s", toleranceSeconds: 90_000 },
  repeats: [sameBody(25 * hour)],
  items: itemsAt(undefined, { id: "sg_event_id", type: "event" }),
});

export const facts: SchemeFacts = {
  keyFrom: "Settings, Mail Settings, Event Webhook, Signature Verification, Public Key (base64).",
  confidence: "confirmed",
  source:
    "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features",
  repeats: {
    source: "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event",
    confidence: "second-hand",
    note: "Each event has an `sg_event_id`. SendGrid tries again for a day.",
  },
  notes: [
    "SendGrid names no window and retries for a day; 25 hours are ours, so that no retry is refused. The body ends in CRLF, which is signed.",
  ],
};
