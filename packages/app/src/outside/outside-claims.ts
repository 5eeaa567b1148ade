import { AppError } from "@postern/core";
import type { JwtClaims } from "@postern/core/ports";
import { challenge } from "@postern/rest";
import { longestSubject } from "../resources/outside-identity.ts";
import { claimAt } from "./claim-at.ts";
import { programOf } from "./machine-tokens.ts";
import { type NamedIssuer, settingName } from "./outside-issuer.ts";

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
  /** The name of the program that it is of, which got it without a user. */
  readonly program: string | undefined;
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

const shown = (value: unknown): string => (JSON.stringify(value) ?? "missing").slice(0, 200);

/** @throws AppError `invalid_token`. */
const checkAudience = (claims: JwtClaims, outside: NamedIssuer): void => {
  // Access tokens of Cognito have no `aud`; the client that got them is their audience.
  const isCognito = claims.aud === undefined && claims.token_use === "access";
  const [name, said] = isCognito ? ["client_id", claims.client_id] : ["aud", claims.aud];
  const named = textsOf(said);
  if (textsOf(outside.audience).some((one) => named.includes(one))) return;
  throw refusedToken(
    `The token is for another audience: its ${name} is ${shown(said)}. ${settingName(outside, "audience")} must name it.`,
  );
};

/** @throws AppError `invalid_token` for a token that is not for access to an API. */
const checkKind = (claims: JwtClaims, type: string | undefined, outside: NamedIssuer): void => {
  const { token_use: use, typ: kind } = claims;
  if (type === "application/okta-internal-at+jwt") {
    throw refusedToken(
      `Only Okta itself can check tokens of its org authorization server. ${settingName(outside, "issuer")} must be a custom authorization server, such as https://example.okta.com/oauth2/default.`,
    );
  }
  // Cognito and Keycloak say in a claim that a token is an ID token. Its scopes would not limit it.
  const isOther =
    (use !== undefined && use !== "access") || ["ID", "Refresh", "Offline", "Logout"].includes(String(kind));
  if (isOther || (type !== undefined && !types.has(type.toLowerCase()))) {
    throw refusedToken("This is not an access token; send the access token of the same sign-in.");
  }
};

/**
 * Checks that the claims of a genuine token are meant for this server and valid now, and returns
 * their content.
 * @throws AppError `invalid_token`, `token_expired`.
 */
export const readOutsideClaims = (
  { claims, type }: { readonly claims: JwtClaims; readonly type: string | undefined },
  outside: NamedIssuer,
  now: number,
): OutsideClaims => {
  const { roleClaim, emailClaim = "email" } = outside;
  checkAudience(claims, outside);
  checkKind(claims, type, outside);
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
    program: programOf(claims),
    severalFactors: textsOf(claims.amr).includes("mfa"),
  };
};
