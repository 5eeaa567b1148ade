import type { WebhookVerificationError } from "@postern/webhook-verifier";

/**
 * Whether a verifier refused a delivery. The name tells, and not the class: a process may have two
 * copies of the verifier, one that was imported and one that was required or bundled, and each has
 * a class of its own.
 */
export const isVerificationRefusal = (thrown: unknown): thrown is WebhookVerificationError =>
  thrown instanceof Error && thrown.name === "WebhookVerificationError" && "code" in thrown;
