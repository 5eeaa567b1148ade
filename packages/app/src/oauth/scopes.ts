import { OAuthFault } from "./oauth-fault.ts";

/**
 * The scopes of OpenID Connect (Core 1.0, sections 5.4 and 11). Its clients send them by themselves.
 * They ask who the user is, which is no right of this API.
 */
const scopesOfIdentity: ReadonlySet<string> = new Set([
  "openid",
  "profile",
  "email",
  "address",
  "phone",
  "offline_access",
]);

const isAsked =
  (allowed: readonly string[]) =>
  (scope: string): boolean =>
    scope !== "" && (allowed.includes(scope) || !scopesOfIdentity.has(scope));

/**
 * The scopes that a request asks for. A request that names none asks for all that are allowed. The
 * scopes of OpenID Connect are ignored beside those of this API; the answer names what was granted
 * (RFC 6749, section 3.3).
 * @throws OAuthFault `invalid_scope` for a scope beyond what is allowed, and for a request that asks
 *   for nothing of this API.
 */
export const requestedScopes = (asked: string | undefined, allowed: readonly string[]): readonly string[] => {
  if (asked === undefined) return allowed;
  const scopes = [...new Set(asked.split(" ").filter(isAsked(allowed)))];
  const beyond = scopes.find((scope) => !allowed.includes(scope));
  if (scopes.length > 0 && beyond === undefined) return scopes.toSorted();
  throw new OAuthFault("invalid_scope", `The scope may name: ${allowed.join(" ")}.`);
};
