import { AppError } from "@postern/core";
import type { JwtClaims } from "@postern/core/parts";
import { challenge } from "@postern/rest";
import { longestSubject } from "../resources/outside-identity.ts";
import { claimAt } from "./claim-at.ts";
import type { OutsideIssuer } from "./outside-issuer.ts";

/** How many seconds the issuer's clock may be ahead of ours. A token ends by our clock. */
const leewaySeconds = 30;
/**
 * Types of access tokens. Others, such as `logout+jwt`, are made for something else (RFC 8725,
 * section 3.11).
 */
const types: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** The content of a genuine token of an outside issuer. */
export interface OutsideClaims {
  readonly subject: string;
  /** As the issuer wrote it; `undefined` if the token has none. */
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
  /** The roles that its role claim names, known here or not. */
  readonly roles: readonly string[];
  /** Whether the issuer says that it saw several factors (RFC 8176). */
  readonly severalFactors: boolean;
}

/** Refuses a token, and says what to do. */
export const refusedToken = (detail: string, cause?: unknown): AppError =>
  new AppError("invalid_token", { detail, headers: challenge("invalid_token"), cause });

const textOrNothing = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string").slice(0, 1_000);

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/**
 * @throws AppError `token_expired`, or `invalid_token` for a time that is missing, malformed or yet
 *   to come.
 */
const checkTimes = ({ exp, nbf, iat }: JwtClaims, now: number): void => {
  if (!isTime(exp)) throw refusedToken("The token does not say when it ends.");
  if (now >= exp) throw new AppError("token_expired", { headers: challenge("invalid_token") });
  for (const from of [nbf, iat]) {
    if (from === undefined) continue;
    if (!isTime(from) || from > now + leewaySeconds) throw refusedToken("The token is not valid yet.");
  }
};

/**
 * Checks that the claims of a genuine token are meant for this server and valid now, and returns
 * their content.
 * @throws AppError `invalid_token`, `token_expired`.
 */
export const readOutsideClaims = (
  { claims, type }: { readonly claims: JwtClaims; readonly type: string | undefined },
  { issuer, audience, roleClaim, emailClaim = "email" }: OutsideIssuer,
  now: number,
): OutsideClaims => {
  if (claims.iss !== issuer) throw refusedToken("The token is of another issuer.");
  if (!textsOf(claims.aud).includes(audience)) throw refusedToken("The token is for another audience.");
  if (type !== undefined && !types.has(type.toLowerCase())) throw refusedToken("This is not an access token.");
  // A token that is bound to a key must come with a proof, and this server cannot check such
  // proofs.
  if (claims.cnf !== undefined) throw refusedToken("The token is bound to a key, which this server cannot check.");
  checkTimes(claims, now);
  const { sub } = claims;
  if (typeof sub !== "string" || sub.length > longestSubject || !/^[\x20-\x7e]+$/.test(sub)) {
    throw refusedToken(`The token's sub must have 1 to ${longestSubject} characters of ASCII.`);
  }
  return {
    subject: sub,
    email: textOrNothing(claimAt(claims, emailClaim)),
    // Cognito and others write it as text. It is about its own claim, never about another one.
    emailVerified: [true, "true"].includes(claimAt(claims, `${emailClaim}_verified`) as boolean | string),
    name: textOrNothing(claims.name),
    roles: roleClaim === undefined ? [] : textsOf(claimAt(claims, roleClaim)),
    severalFactors: textsOf(claims.amr).includes("mfa"),
  };
};
