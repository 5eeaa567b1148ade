import type { Telemetry } from "@postern/core/ports";
import type { WebhookVerificationError } from "@postern/webhook-verifier";

/** What can become of a delivery with a valid signature. */
const results = ["accepted", "duplicate", "ignored", "quarantined", "busy", "too_large"];
/** Why deliveries are refused if a key, a clock or the sender is the wrong one. */
const usualReasons: readonly WebhookVerificationError["code"][] = [
  "header_missing",
  "key_unknown",
  "signature_mismatch",
  "signature_missing",
  "timestamp_too_new",
  "timestamp_too_old",
];

/** Makes the counts of senders known before their first webhook. */
export const beginWebhookCounts = (telemetry: Telemetry, providers: Iterable<string>): void => {
  for (const provider of providers) {
    for (const result of results) telemetry.count("webhooks_received", { provider, result }, 0);
    for (const reason of usualReasons) telemetry.count("webhooks_refused", { provider, reason }, 0);
    telemetry.count("webhooks_signed_again", { provider }, 0);
  }
};
