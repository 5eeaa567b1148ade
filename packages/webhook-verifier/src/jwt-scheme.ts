import { equal, hash, textOf } from "#platform";
import { encodeBase64, encodeBase64url } from "./base64.ts";
import { joined } from "./bytes.ts";
import { refuse } from "./errors.ts";
import { behind, getHeader, type HeaderSource } from "./headers.ts";
import { encodeHex } from "./hex.ts";
import { type Jws, numericDate, payloadOf, readJws, writeJws } from "./jws.ts";
import { asText, at } from "./places.ts";
import { utf8 } from "./runtime.ts";
import type { Assertion, Confirmed, Covered, LayoutPart, Location, Scheme, Settings } from "./scheme.ts";

/** How far clocks may differ when the lifetime of a token is checked. */
const leewayMs = 60_000;

/**
 * A digest in a token: the claim that holds it, and how it is written. With `text` the claim
 * repeats the content itself.
 */
interface HashClaim {
  readonly claim: string;
  readonly encoding: "hex" | "base64" | "base64url" | "text";
}

/** Describes a sender that puts a JWT into a header. */
export interface JwtLayout extends Pick<Scheme, "name" | "title" | "key" | LayoutPart> {
  /** The header, in the sender's spelling. */
  readonly header: string;
  /** True if the header begins with `Bearer `. */
  readonly bearer?: boolean;
  readonly alg: "HS256" | "RS256";
  /** The digest of the body. Without it the token proves only who the sender is. */
  readonly bodyHash?: HashClaim;
  /** The digest of the URL. */
  readonly urlHash?: HashClaim;
  /** The required value of `iss`. */
  readonly issuer?: string;
  /** The claim that names the key, instead of `kid` in the token's header. */
  readonly keyIdClaim?: string;
  /** The claim with the time of signing, and the window around it in seconds. */
  readonly time?: { readonly claim: "iat" | "nbf"; readonly toleranceSeconds: number };
  /** True if a token without `exp` is refused. */
  readonly expires?: boolean;
  /** True if each token has an id, `jti`. */
  readonly tokenId?: boolean;
  /** Further checks. @throws WebhookVerificationError `claim_mismatch` */
  readonly check?: (claims: unknown, settings: Settings, url: string | undefined) => void;
  /** Further claims for tokens that are made for tests. */
  readonly claims?: (settings: Settings) => Readonly<Record<string, unknown>>;
}

/**
 * The token behind `Bearer `, in any letter case. @throws WebhookVerificationError
 * `header_malformed`
 */
export const bearerToken = (headers: HeaderSource, name: string): string => {
  const token = behind(getHeader(headers, name), "Bearer ");
  return token === undefined || token.includes(" ")
    ? refuse("header_malformed", `The header ${name} is not a bearer token.`)
    : token;
};

/**
 * Refuses a token before its time and after it. It skips the claim `signedAt`: the verifier's own
 * window checks that one.
 * @throws WebhookVerificationError `timestamp_too_old`, `timestamp_too_new`
 */
export const checkLife = (claims: unknown, now: number, signedAt?: "iat" | "nbf"): void => {
  const expires = numericDate(claims, "exp");
  const begins = (["iat", "nbf"] as const).filter((name) => name !== signedAt);
  const from = Math.max(0, ...begins.map((name) => numericDate(claims, name) ?? 0));
  if (expires !== undefined && now > expires + leewayMs) refuse("timestamp_too_old", "The token has expired.");
  if (from > now + leewayMs) refuse("timestamp_too_new", "The token is from the future.");
};

/** The claim of a token: its signature, the content that it signs, and the key that made it. */
export const tokenClaim = (jws: Jws, keyId = jws.keyId): Omit<Assertion, "confirm"> => ({
  signatures: [{ bytes: jws.signature }],
  signed: [`${jws.headerText}.${jws.payloadText}`],
  ...(keyId !== undefined && { keyId }),
});

const encoders = { hex: encodeHex, base64: encodeBase64, base64url: encodeBase64url } as const;

const written = async (content: string | Uint8Array, encoding: HashClaim["encoding"]): Promise<Uint8Array> =>
  encoding === "text" ? joined([content]) : utf8(encoders[encoding](await hash("sha256", [content])));

const writtenText = async (content: string | Uint8Array, { encoding }: HashClaim): Promise<string | undefined> =>
  textOf(await written(content, encoding));

const checkHash = async (
  claims: unknown,
  { claim, encoding }: HashClaim,
  content: string | Uint8Array,
  what: string,
): Promise<void> => {
  const found = asText(at(claims, claim)) ?? (content.length === 0 ? undefined : "");
  // Senders omit the digest of an empty body. Some pad base64url.
  const bare = encoding === "base64url" ? found?.replace(/=+$/, "") : found;
  if (bare !== undefined && !equal(await written(content, encoding), utf8(bare)))
    refuse("digest_mismatch", `The ${what} is not the one whose digest the token holds.`);
};

const coveredBy = ({ bodyHash, urlHash, time, id, type }: JwtLayout): readonly Covered[] => {
  if (bodyHash === undefined) return ["sender"];
  const inBody = (place: Location | undefined): boolean => typeof place === "string" && place.startsWith("body:");
  return [
    ...(urlHash === undefined ? [] : (["url"] as const)),
    "body",
    ...(time === undefined ? [] : (["timestamp"] as const)),
    ...(inBody(id) ? (["id"] as const) : []),
    ...(inBody(type) ? (["type"] as const) : []),
  ];
};

/**
 * Makes the scheme of a sender that puts a JWT (RFC 7519) into a header, with or without digests of
 * the request.
 */
export const jwtScheme = (layout: JwtLayout): Scheme => {
  const { header: named, bearer, alg, bodyHash, urlHash, issuer, keyIdClaim, time, ...more } = layout;
  const { expires, tokenId, check, claims: testClaims, ...rest } = more;
  const header = named.toLowerCase();
  const idHeader = typeof layout.id === "string" && layout.id.startsWith("header:") ? layout.id.slice(7) : undefined;
  return {
    ...rest,
    covered: coveredBy(layout),
    credentials: [`header:${header}`],
    toleranceSeconds: time?.toleranceSeconds,
    read: ({ headers, body, url }, { now, settings }) => {
      const jws = readJws(bearer ? bearerToken(headers, header) : getHeader(headers, header), alg);
      const keyId = keyIdClaim === undefined ? jws.keyId : asText(at(payloadOf(jws), keyIdClaim));
      const confirm = async (): Promise<Confirmed | undefined> => {
        const claims = payloadOf(jws);
        if (issuer !== undefined && at(claims, "iss") !== issuer)
          refuse("claim_mismatch", `The token is not from ${issuer}.`);
        if (expires && numericDate(claims, "exp") === undefined) refuse("claim_mismatch", "The token has no exp.");
        checkLife(claims, now, time?.claim);
        check?.(claims, settings, url);
        if (bodyHash !== undefined) await checkHash(claims, bodyHash, body, "body");
        if (urlHash !== undefined)
          await checkHash(claims, urlHash, url ?? refuse("request_incomplete", "The token covers the URL."), "URL");
        if (time === undefined) return undefined;
        return {
          timestamp:
            numericDate(claims, time.claim) ?? refuse("timestamp_malformed", `The token has no ${time.claim}.`),
        };
      };
      // One token may serve for many requests. In that case only the body distinguishes deliveries.
      return [{ ...tokenClaim(jws, keyId), confirm, ...(bodyHash === undefined && { digested: [body] }) }];
    },
    sign: async ({ url, headers, body, id, timestamp, settings }, [signer]) => {
      const seconds = Math.floor(timestamp / 1000);
      const claims = {
        ...(issuer !== undefined && { iss: issuer }),
        ...(keyIdClaim !== undefined && { [keyIdClaim]: signer.id }),
        ...(time !== undefined && { [time.claim]: seconds }),
        ...(expires && { exp: seconds + 300 }),
        ...(tokenId && { jti: id }),
        ...(bodyHash !== undefined && { [bodyHash.claim]: await writtenText(body, bodyHash) }),
        ...(urlHash !== undefined && url !== undefined && { [urlHash.claim]: await writtenText(url, urlHash) }),
        ...testClaims?.(settings),
      };
      const token = await writeJws({ alg, typ: "JWT" }, utf8(JSON.stringify(claims)), signer);
      return {
        headers: {
          ...(idHeader !== undefined && { [idHeader]: id }),
          ...headers,
          [header]: bearer ? `Bearer ${token}` : token,
        },
      };
    },
  };
};
