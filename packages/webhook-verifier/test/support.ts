import { expect } from "vitest";
import { type WebhookErrorCode, WebhookVerificationError } from "../src/index.ts";

/** The time at which every delivery in these tests is signed and verified. */
export const now = Date.UTC(2026, 10, 21, 12, 0, 0);

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Passes when the promise is refused with exactly this code. */
export const expectRefusal = async (attempt: Promise<unknown>, code: WebhookErrorCode): Promise<void> => {
  const outcome = await attempt.then(
    () => "accepted",
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(WebhookVerificationError);
  // The line above has just shown this.
  expect((outcome as WebhookVerificationError).code).toBe(code);
};
