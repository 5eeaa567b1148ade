import { refuse } from "./errors.ts";
import { jsonIn } from "./json.ts";
import { after } from "./runtime.ts";
import type { Assertion, Scheme } from "./scheme.ts";

/**
 * Makes a scheme that hashes secret and content plainly safe against length extension. A forged
 * body consists of a genuine one, padding and a tail. The padding begins with the byte 0x80, which
 * cannot follow a whole character of UTF-8. A GET request may have no body: HubSpot signs those
 * with version 2.
 */
export const jsonBodiesOnly = (scheme: Scheme): Scheme => ({
  ...scheme,
  read: (request, reading) =>
    after(scheme.read(request, reading), (claims) =>
      claims.map(
        (claim): Assertion => ({
          ...claim,
          confirm: () =>
            (request.method === "GET" && request.body.length === 0) || jsonIn(request.body) !== undefined
              ? undefined
              : refuse("body_malformed", "The body is not JSON in UTF-8: its signature may be computed from another."),
        }),
      ),
    ),
});
