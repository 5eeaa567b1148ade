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

/** Whether a text has more than `most` of these marks, each of which is one character. */
export const hasMore = (text: string, marks: RegExp, most: number): boolean =>
  text.length > most && text.split(marks, most + 2).length > most + 1;

/**
 * Parses JSON whose signature stands inside it, so that anybody may have sent it; `undefined` if it
 * is not JSON. A megabyte of short members would keep the parser busy for a tenth of a second. No
 * sender has a third of the bound. Marks inside texts count too, because to tell them apart would
 * cost more.
 * @throws WebhookVerificationError `body_too_large`
 */
export const unprovenJson = (text: string): unknown =>
  hasMore(text, /[:[{]/, 20_000) ? refuse("body_too_large", "Too many members.") : jsonText(text);

/**
 * Parses a body that may be a handshake, which is read before its signature is checked; `undefined`
 * if it is not JSON, or is longer than any handshake.
 */
export const shortJson = (body: Uint8Array): unknown => (body.length > 65_536 ? undefined : jsonIn(body));

/**
 * Parses the body of a sender that signs inside it. @throws WebhookVerificationError
 * `body_malformed`, `body_too_large`
 */
export const jsonBody = (body: Uint8Array): unknown =>
  unprovenJson(textOf(body) ?? "") ?? refuse("body_malformed", "The body is not JSON.");
