import { hash, randomUUID } from "node:crypto";
import { type AccessTokenClaims, AppError, type Signer } from "@postern/core";
import { fromBase64url } from "./base64url.ts";
import { tokenKey } from "./token-key.ts";

const issuer = "postern";
const audience = "postern-api";
const typ = "at+jwt";
/** Loaded with the first token that needs it: 60 modules, and a process that only receives webhooks sees no token. */
const jose = () => import("jose");

/** Ours have about 500 characters. */
const longestToken = 2_048;
const rememberedTokens = 2_000;

/** The one spelling of a compact JWS whose signature has the 64 bytes of ES256. */
const isCompact = (token: string): boolean => {
  if (token.length > longestToken) return false;
  const [, signature] = /^[\w-]+\.[\w-]+\.([\w-]{86})$/.exec(token) ?? [];
  return signature !== undefined && fromBase64url(signature) !== undefined;
};

const claimsOf = ({ sub, sid, iat, exp }: Readonly<Record<string, unknown>>): AccessTokenClaims => {
  if (typeof sub !== "string" || typeof sid !== "string" || typeof iat !== "number" || typeof exp !== "number") {
    throw new AppError("invalid_token");
  }
  return { userId: sub, sessionId: sid, issuedAt: iat, expiresAt: exp };
};

/**
 * Access tokens as JWTs by RFC 9068, signed with ES256. Checked as RFC 8725 asks: algorithm, type, issuer, audience and keys are fixed here
 * and chosen by nothing in the token; every known key is tried in turn. The result of checking a signature is kept for the 2,000 tokens used last (by their SHA-256),
 * since checking is what costs; expiry is judged anew every time.
 */
export const accessTokens = (
  secretKey: Uint8Array,
  previousSecretKeys: readonly Uint8Array[] = [],
): Pick<Signer, "issueAccessToken" | "readAccessToken"> => {
  const { privateKey, publicKey, kid } = tokenKey(secretKey);
  const publicKeys = [publicKey, ...previousSecretKeys.map((key) => tokenKey(key).publicKey)];
  const remembered = new Map<string, AccessTokenClaims>();

  const payloadOf = async (token: string): Promise<Readonly<Record<string, unknown>>> => {
    const { jwtVerify } = await jose();
    let cause: unknown;
    for (const key of publicKeys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["ES256"],
          typ,
          issuer,
          audience,
          requiredClaims: ["exp", "iat", "sub", "sid", "jti"],
          // Before any token's end: whether it is over is asked of the caller's time, below.
          currentDate: new Date(0),
        });
        return payload;
      } catch (thrown) {
        cause = thrown;
      }
    }
    throw new AppError("invalid_token", { cause });
  };

  const verified = async (token: string): Promise<AccessTokenClaims> => {
    if (!isCompact(token)) throw new AppError("invalid_token");
    const digest = hash("sha256", token, "base64");
    const known = remembered.get(digest);
    if (known !== undefined) return known;
    const claims = claimsOf(await payloadOf(token));
    remembered.set(digest, claims);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= rememberedTokens) break;
      remembered.delete(oldest);
    }
    return claims;
  };

  return {
    issueAccessToken: async ({ userId, sessionId, issuedAt, expiresAt }) => {
      const { SignJWT } = await jose();
      return new SignJWT({ client_id: issuer, sid: sessionId })
        .setProtectedHeader({ alg: "ES256", typ, kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .setJti(randomUUID())
        .sign(privateKey);
    },
    readAccessToken: async (token, nowSeconds) => {
      const claims = await verified(token);
      if (nowSeconds >= claims.expiresAt) throw new AppError("token_expired");
      return { ...claims };
    },
  };
};
