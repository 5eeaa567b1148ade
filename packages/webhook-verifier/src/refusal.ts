import type { WebhookVerificationError } from "./errors.ts";

/**
 * Whether something thrown is a refusal. The name tells, and not the class: a process may have two
 * copies of this package, one that was imported and one that was required or bundled, and each has
 * a class of its own.
 */
export const isRefusal = (thrown: unknown): thrown is WebhookVerificationError =>
  thrown instanceof Error && thrown.name === "WebhookVerificationError" && "code" in thrown;
