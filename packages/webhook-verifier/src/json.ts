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

/** Whether a text holds one of the characters more than `most` times in all. */
export const hasMore = (text: string, characters: string, most: number): boolean => {
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1))
      if (++count > most) return true;
  return false;
};

/** Several times as many as any sender sends. */
const mostMembers = 20_000;

/**
 * Parses JSON whose signature stands inside it, so that anybody may have sent it; `undefined` if it
 * is not JSON. A megabyte of short members would keep the parser busy for a tenth of a second. Marks
 * inside of texts count too, because to tell them apart would cost more.
 * @throws WebhookVerificationError `body_too_large`
 */
export const unprovenJson = (text: string): unknown => {
  if (hasMore(text, ":[{", mostMembers))
    refuse("body_too_large", `More than ${mostMembers} members and lists in JSON that is read before it is proved.`);
  return jsonText(text);
};

/**
 * Parses the body of a sender that signs inside it. @throws WebhookVerificationError
 * `body_malformed`, `body_too_large`
 */
export const jsonBody = (body: Uint8Array): unknown =>
  unprovenJson(textOf(body) ?? "") ??
  refuse("body_malformed", "The signature stands in the body, and that is not JSON.");
