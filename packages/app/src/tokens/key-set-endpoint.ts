import type { Answer } from "@postern/core";
import type { RootedEndpoint } from "@postern/rest";
import type { SigningKeys } from "./signing-keys.ts";

const path = "/.well-known/jwks.json";
/**
 * Readers may keep the set this long. The next key is in the set for longer than that before it
 * signs.
 */
const maxAgeSeconds = 300;

const placeOf = { active: 0, next: 1, retired: 2 } as const;

/**
 * The public halves of the signing keys as a JSON Web Key Set (RFC 7517): the active one, the next
 * one, and those whose tokens are still valid.
 */
export const keySetEndpoint = (
  keys: SigningKeys,
  fail: (thrown: unknown, request: { readonly path: string; readonly requestId: string }) => Answer,
): RootedEndpoint => ({
  path,
  methods: ["GET"],
  answer: async ({ id, root }) => {
    try {
      const published = (await keys.published()).toSorted((left, right) => placeOf[left.state] - placeOf[right.state]);
      return {
        status: 200,
        headers: {
          "content-type": "application/jwk-set+json",
          "cache-control": `public, max-age=${maxAgeSeconds}`,
        },
        body: { keys: published.map(({ kid, publicKey }) => ({ ...publicKey, kid, use: "sig", alg: "ES256" })) },
      };
    } catch (thrown) {
      return fail(thrown, { path: root + path, requestId: id });
    }
  },
});
