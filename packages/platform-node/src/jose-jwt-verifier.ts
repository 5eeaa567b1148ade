import { createPublicKey, type KeyObject } from "node:crypto";
import { AppError } from "@postern/core";
import type { ForeignJwk, JwtVerifier, UnprovedJwt } from "@postern/core/ports";
import { fromBase64url } from "./base64url.ts";

/** Loaded with the first token of another issuer or client: most servers never see one. */
const jose = () => import("jose");

const fewestRsaBits = 2_048;
/** How many parsed keys are kept. One issuer and a hundred clients have fewer. */
const mostKeys = 1_000;

const rsa = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
const byCurve: Readonly<Record<string, readonly string[]>> = {
  "P-256": ["ES256"],
  "P-384": ["ES384"],
  "P-521": ["ES512"],
  Ed25519: ["EdDSA", "Ed25519"],
};

/** The algorithms that a key is meant for. The key decides, so no token can choose another one. */
const algorithmsOf = ({ kty, crv, alg }: ForeignJwk): readonly string[] => {
  const possible = kty === "RSA" ? rsa : kty === "EC" || kty === "OKP" ? (byCurve[String(crv)] ?? []) : [];
  return alg === undefined ? possible : possible.filter((one) => one === alg);
};

const isForSignatures = ({ use, key_ops: operations }: ForeignJwk): boolean =>
  (use === undefined || use === "sig") &&
  (operations === undefined || (Array.isArray(operations) && operations.includes("verify")));

interface CheckingKey {
  readonly key: KeyObject;
  readonly algorithms: string[];
}

const checkingKeyOf = (jwk: ForeignJwk): CheckingKey | undefined => {
  const algorithms = [...algorithmsOf(jwk)];
  // A private key is refused: once it is published, it is no longer secret.
  if (algorithms.length === 0 || !isForSignatures(jwk) || jwk.d !== undefined) return undefined;
  try {
    const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    return bits !== undefined && bits < fewestRsaBits ? undefined : { key, algorithms };
  } catch {
    return undefined;
  }
};

const objectIn = (part: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(fromBase64url(part)?.toString() ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};

const textOrNothing = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const readJwt = (token: string): UnprovedJwt | undefined => {
  const [, head = "", body = "", signature] = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(token) ?? [];
  if (signature === undefined || fromBase64url(signature) === undefined) return undefined;
  const header = objectIn(head);
  const claims = objectIn(body);
  if (header === undefined || claims === undefined || typeof header.alg !== "string") return undefined;
  // No critical extension is supported (RFC 7515, section 4.1.11).
  if (header.crit !== undefined || header.b64 !== undefined) return undefined;
  return { algorithm: header.alg, keyId: textOrNothing(header.kid), type: textOrNothing(header.typ), claims };
};

/**
 * Reads tokens of others and checks them with jose, as RFC 8725 asks: the key decides the
 * algorithm. A text of more than `longest` characters does not count as a token.
 */
export const joseJwtVerifier = (longest = 16_384): JwtVerifier => {
  const keys = new Map<string, CheckingKey | undefined>();

  const keyOf = (jwk: ForeignJwk): CheckingKey | undefined => {
    const text = JSON.stringify(jwk);
    if (keys.has(text)) return keys.get(text);
    const key = checkingKeyOf(jwk);
    keys.set(text, key);
    for (const oldest of keys.keys()) {
      if (keys.size <= mostKeys) break;
      keys.delete(oldest);
    }
    return key;
  };

  const read = (token: string): UnprovedJwt | undefined => (token.length > longest ? undefined : readJwt(token));

  return {
    read,
    isUsable: (jwk) => keyOf(jwk) !== undefined,
    verify: async (token, jwk) => {
      const said = read(token);
      const checking = keyOf(jwk);
      if (said === undefined || checking === undefined) throw new AppError("invalid_token");
      const { compactVerify } = await jose();
      try {
        await compactVerify(token, checking.key, { algorithms: checking.algorithms });
      } catch (cause) {
        throw new AppError("invalid_token", { cause });
      }
      return said.claims;
    },
  };
};
