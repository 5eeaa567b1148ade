import { refuse } from "./errors.ts";
import type { Scheme } from "./scheme.ts";

const brace = 0x7b;

/**
 * For a sender that signs the answers to its challenges with the key and the code of its bodies.
 * Anybody can send such a challenge, so let the scheme answer only challenges without a brace. Bodies
 * without a brace are refused here. So the answer to a challenge is the signature of no body.
 */
export const apartFromChallenges = (scheme: Scheme): Scheme => ({
  ...scheme,
  read: (request, reading) =>
    request.body.includes(brace)
      ? scheme.read(request, reading)
      : refuse("body_malformed", "The body is no JSON object: its signature may be the answer to a challenge."),
});
