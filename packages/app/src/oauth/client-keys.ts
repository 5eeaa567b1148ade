import type { FieldValue } from "@postern/core";
import type { ForeignJwk, JwtVerifier } from "@postern/core/ports";
import { z } from "zod";

/** The most keys that one client has: two, while one replaces the other, and some to spare. */
const mostClientKeys = 5;

const member = z.string().min(1).max(1_000);

/** The public keys of a client, as administrators send and see them. */
export const clientKeySet = z
  .strictObject({
    keys: z
      .array(
        z
          .looseObject({ kty: z.string().max(10), kid: z.string().min(1).max(128).optional() })
          .meta({ description: "A public key (RFC 7517): EC, OKP or RSA with at least 2,048 bits." }),
      )
      .min(1)
      .max(mostClientKeys),
  })
  .meta({
    id: "oauth_client_keys",
    // The public key of RFC 8037, appendix A.2.
    examples: [
      { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "2026-11" }] },
    ],
    description: "Public keys whose private halves only the client has (RFC 7523, `private_key_jwt`).",
  });

const publicMembers = ["kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"] as const;

/**
 * The key with only the members that a check needs; `undefined` for a key that cannot be used, such
 * as a private one.
 */
const storedKey = (verifier: Pick<JwtVerifier, "isUsable">, given: ForeignJwk): ForeignJwk | undefined => {
  if (!verifier.isUsable(given)) return undefined;
  const kept = publicMembers.flatMap((name) => {
    const value = member.safeParse(given[name]);
    return value.success ? [[name, value.data] as const] : [];
  });
  return Object.fromEntries(kept);
};

/** The keys in the form in which they are stored, or the fault in them. */
export const storedKeys = (
  verifier: Pick<JwtVerifier, "isUsable">,
  { keys }: z.output<typeof clientKeySet>,
): { readonly keys: readonly ForeignJwk[] } | { readonly fault: string } => {
  const stored = keys.map((key) => storedKey(verifier, key)).filter((key) => key !== undefined);
  if (stored.length < keys.length) {
    return { fault: "each must be a public key for signatures: EC, OKP or RSA with at least 2,048 bits" };
  }
  const names = stored.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  if (new Set(names).size < names.length) return { fault: "two keys have the same kid" };
  return { keys: stored };
};

/** The keys of a stored client; none for one that has a secret, or nothing. */
export const keysOf = (value: FieldValue | undefined): readonly ForeignJwk[] => {
  const keys: unknown = typeof value === "object" && value !== null && "keys" in value ? value.keys : undefined;
  return Array.isArray(keys) ? (keys as readonly ForeignJwk[]) /* only `storedKeys` is written */ : [];
};
