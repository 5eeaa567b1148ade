import { AppError } from "../errors/index.ts";
import type { ForeignJwk, JwtClaims, JwtVerifier, UnprovedJwt } from "../ports/jwt-verifier.ts";
import { utf8Decode, utf8Encode } from "../runtime.ts";
import { weakDigest } from "./weak-digest.ts";

const longest = 16_384;
const algorithm = "ES256";

const hexOf = (text: string): string =>
  Array.from(utf8Encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");

const objectIn = (hex: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const bytes = Uint8Array.from((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
    const value: unknown = JSON.parse(utf8Decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};

const isText = (value: unknown): value is string => typeof value === "string";

const readToken = (token: string): UnprovedJwt | undefined => {
  if (token.length > longest) return undefined;
  const [, head = "", body = ""] = /^((?:[0-9a-f]{2})+)\.((?:[0-9a-f]{2})+)\.[\w-]*$/.exec(token) ?? [];
  const header = objectIn(head);
  const claims = objectIn(body);
  if (header === undefined || claims === undefined || !isText(header.alg) || header.crit !== undefined)
    return undefined;
  return {
    algorithm: header.alg,
    keyId: isText(header.kid) ? header.kid : undefined,
    type: isText(header.typ) ? header.typ : undefined,
    claims,
  };
};

const proofOf = (signed: string, key: ForeignJwk): string => weakDigest(`${signed} ${String(key.x)}`);

/** Tokens of other issuers without cryptography, for tests. Anybody who knows the public key can sign. */
export interface MemoryJwts extends JwtVerifier {
  /** A public key. */
  newKey(kid: string): ForeignJwk;
  /** A token that `verify` accepts with this key. `header` adds to `alg` and `kid`, or replaces them. */
  sign(key: ForeignJwk, claims: JwtClaims, header?: Readonly<Record<string, unknown>>): string;
}

export const memoryJwts = (): MemoryJwts => {
  const isUsable = ({ kty, x, d, use }: ForeignJwk): boolean =>
    kty === "memory" && isText(x) && d === undefined && (use === undefined || use === "sig");
  return {
    newKey: (kid) => ({ kty: "memory", kid, x: weakDigest(`key ${kid}`) }),
    sign: (key, claims, header = {}) => {
      const signed = [{ alg: algorithm, kid: key.kid, ...header }, claims].map((part) => hexOf(JSON.stringify(part)));
      return [...signed, proofOf(signed.join("."), key)].join(".");
    },
    read: readToken,
    isUsable,
    verify: async (token, key) => {
      const said = readToken(token);
      const end = token.lastIndexOf(".");
      const isGenuine = token.slice(end + 1) === proofOf(token.slice(0, end), key);
      if (said === undefined || said.algorithm !== algorithm || !isUsable(key) || !isGenuine) {
        throw new AppError("invalid_token");
      }
      return said.claims;
    },
  };
};
