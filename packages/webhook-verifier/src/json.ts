import { textOf } from "#platform";
import { refuse } from "./errors.ts";

/** A text as JSON; undefined when it is none. */
export const jsonText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The JSON in some bytes; undefined when they are none. */
export const jsonIn = (bytes: Uint8Array): unknown => jsonText(textOf(bytes) ?? "");

/** The body of a sender that signs inside it. @throws WebhookVerificationError `body_malformed` */
export const jsonBody = (body: Uint8Array): unknown =>
  jsonIn(body) ?? refuse("body_malformed", "The signature stands in the body, and that is not JSON.");
