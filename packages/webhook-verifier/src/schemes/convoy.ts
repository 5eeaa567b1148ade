import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const convoy: Scheme = definePairsScheme({
  name: "convoy",
  title: "Convoy (advanced)",
  headers: ["x-convoy-event-id", "x-convoy-idempotency-key"],
  key: textSecret("hmac-sha256"),
  signature: {
    header: "X-Convoy-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  signed: "{timestamp},{body}",
  timestamp: { unit: "s", toleranceSeconds: 300 },
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
    note: "The sender gives the key. Without it and without an event id, only the very same message is a repeat.",
  },
  notes: [
    "Header name, hash and encoding can be set by the sender: make your own with `defineScheme` where they differ.",
    "Other senders are built on Convoy and sign alike.",
  ],
};
