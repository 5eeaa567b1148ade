import { textOf } from "#platform";
import { refuse } from "./errors.ts";

/** Parses a text as JSON; `undefined` if it is not JSON. */
export const jsonText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses bytes as JSON; `undefined` if they are not JSON. */
export const jsonIn = (bytes: Uint8Array): unknown => jsonText(textOf(bytes) ?? "");

/**
 * Parses the body of a sender that signs inside it. @throws WebhookVerificationError
 * `body_malformed`
 */
export const jsonBody = (body: Uint8Array): unknown =>
  jsonIn(body) ?? refuse("body_malformed", "The signature stands in the body, and that is not JSON.");
