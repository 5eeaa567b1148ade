import { refuse } from "./errors.ts";
import type { Scheme } from "./scheme.ts";

const brace = 0x7b;

/**
 * For a sender whose challenges are answered with the code that also signs its bodies, and to whom
 * anybody may pretend to be: answer only challenges without a brace. Bodies without one are refused
 * here, so the answer to a challenge signs no body.
 */
export const apartFromChallenges = (scheme: Scheme): Scheme => ({
  ...scheme,
  read: (request, reading) =>
    request.body.includes(brace)
      ? scheme.read(request, reading)
      : refuse("body_malformed", "The body is no JSON object: its signature may be the answer to a challenge."),
});
