import { createPublicKey, hash, type KeyObject } from "node:crypto";
import { AppError } from "@postern/core";
import type { AccessTokenClaims, PublicSigningKey, Signer, SigningKey } from "@postern/core/ports";
import { fromBase64url } from "./base64url.ts";
import { newTokenKey, privateKeyOf } from "./token-key.ts";

const typ = "at+jwt";
/**
 * Loaded with the first token that needs it: 60 modules, and a process that only receives webhooks
 * sees no token.
 */
const jose = () => import("jose");

/** Our tokens have about 600 characters, and up to 8,700 more for scopes. */
const longestToken = 10_240;
const rememberedTokens = 2_000;
const rememberedKeys = 16;

const remember = <Value>(map: Map<string, Value>, key: string, value: Value, atMost: number): Value => {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= atMost) break;
    map.delete(oldest);
  }
  return value;
};

/**
 * The `kid` of a compact JWS in its canonical spelling, with a 64-byte signature of ES256;
 * `undefined` for any other text.
 */
const kidOf = (token: string): string | undefined => {
  const [, head = "", signature] = /^([\w-]+)\.[\w-]+\.([\w-]{86})$/.exec(token) ?? [];
  if (signature === undefined || fromBase64url(signature) === undefined) return undefined;
  const bytes = fromBase64url(head);
  // jose reads the header again and refuses whatever else is wrong with it.
  const [, kid] = /"kid":"([\w-]{1,64})"/.exec(bytes?.toString() ?? "") ?? [];
  return kid;
};

type Payload = Readonly<Record<string, unknown>>;

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";

const claimsOf = ({ iss, aud, sub, client_id, jti, sid, scope, iat, exp }: Payload): AccessTokenClaims => {
  const texts = [iss, aud, sub, client_id, jti];
  if (!texts.every((value) => typeof value === "string") || !isTextOrAbsent(sid) || !isTextOrAbsent(scope)) {
    throw new AppError("invalid_token");
  }
  if (typeof iat !== "number" || typeof exp !== "number") throw new AppError("invalid_token");
  return {
    issuer: String(iss),
    audience: String(aud),
    subject: String(sub),
    clientId: String(client_id),
    tokenId: String(jti),
    ...(sid === undefined ? {} : { sessionId: sid }),
    ...(scope === undefined ? {} : { scope }),
    issuedAt: iat,
    expiresAt: exp,
  };
};

interface Checked {
  readonly kid: string;
  readonly claims: AccessTokenClaims;
}

/**
 * Access tokens as JWTs by RFC 9068, signed with ES256. They are checked as RFC 8725 asks:
 * algorithm and type are fixed here, and the token only chooses which of our own keys is tried. The
 * result of checking a signature is kept for the 2,000 tokens used last (by their SHA-256), because
 * checking is the expensive part. The key and the expiry are checked every time.
 */
export const accessTokens = (): Pick<Signer, "newSigningKey" | "issueAccessToken" | "readAccessToken"> => {
  const tokens = new Map<string, Checked>();
  const privateKeys = new Map<string, KeyObject>();
  const publicKeys = new Map<string, KeyObject>();

  const signingKey = (key: SigningKey): KeyObject =>
    privateKeys.get(key.kid) ?? remember(privateKeys, key.kid, privateKeyOf(key), rememberedKeys);

  const checkingKey = ({ kid, publicKey }: PublicSigningKey): KeyObject =>
    publicKeys.get(kid) ??
    remember(publicKeys, kid, createPublicKey({ key: { ...publicKey }, format: "jwk" }), rememberedKeys);

  const payloadOf = async (token: string, key: PublicSigningKey): Promise<Payload> => {
    const { jwtVerify } = await jose();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, checkingKey(key), {
        algorithms: ["ES256"],
        typ,
        requiredClaims: ["iss", "aud", "exp", "iat", "sub", "client_id", "jti"],
        // This time is before the end of every token. Below, the caller's time decides whether the
        // token has expired.
        currentDate: new Date(0),
      });
      if (protectedHeader.kid !== key.kid) throw new TypeError("the token names another key");
      return payload;
    } catch (cause) {
      throw new AppError("invalid_token", { cause });
    }
  };

  return {
    newSigningKey: newTokenKey,
    issueAccessToken: async (claims, key) => {
      const { SignJWT } = await jose();
      const { issuer, audience, subject, clientId, tokenId, sessionId, scope, issuedAt, expiresAt } = claims;
      const more = {
        ...(scope === undefined ? {} : { scope }),
        ...(sessionId === undefined ? {} : { sid: sessionId }),
      };
      return new SignJWT({ client_id: clientId, ...more })
        .setProtectedHeader({ alg: "ES256", typ, kid: key.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .setJti(tokenId)
        .sign(signingKey(key));
    },
    readAccessToken: async (token, nowSeconds, keyNamed) => {
      if (token.length > longestToken) throw new AppError("invalid_token");
      const digest = hash("sha256", token, "base64");
      const known = tokens.get(digest);
      const kid = known?.kid ?? kidOf(token);
      const key = kid === undefined ? undefined : await keyNamed(kid);
      if (key === undefined) throw new AppError("invalid_token");
      const { claims } =
        known ??
        remember(tokens, digest, { kid: key.kid, claims: claimsOf(await payloadOf(token, key)) }, rememberedTokens);
      if (nowSeconds >= claims.expiresAt) throw new AppError("token_expired");
      return { ...claims };
    },
  };
};
