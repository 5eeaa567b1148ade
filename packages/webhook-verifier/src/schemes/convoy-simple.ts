import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const convoySimple: Scheme = definePlainScheme({
  name: "convoy-simple",
  title: "Convoy (simple)",
  headers: ["x-convoy-event-id", "x-convoy-idempotency-key"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Convoy-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event_type",
  promises: { id: "usual", type: "usual" },
  repeats: [unsignedId("header:x-convoy-idempotency-key|x-convoy-event-id")],
});

export const facts: SchemeFacts = {
  keyFrom: "The endpoint's secret, from the sender.",
  confidence: "confirmed",
  source: "https://github.com/frain-dev/convoy/tree/main/pkg/signature",
  promises: {
    note: "Convoy sends what it was given as the event's `data`, which may be any JSON, and puts no type into it.",
  },
  repeats: {
    source: "https://github.com/frain-dev/convoy/blob/main/worker/task/process_event_delivery.go",
    note: "The sender gives the key. Without it and without an event id, the same body within an hour is a repeat.",
  },
  notes: ["Other senders are built on Convoy and sign alike."],
};
