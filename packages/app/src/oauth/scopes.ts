import { OAuthFault } from "./oauth-fault.ts";

/**
 * The scopes that a request asks for. A request that names none asks for all that are allowed.
 * @throws OAuthFault `invalid_scope` for a scope beyond what is allowed.
 */
export const requestedScopes = (asked: string | undefined, allowed: readonly string[]): readonly string[] => {
  if (asked === undefined) return allowed;
  const scopes = [...new Set(asked.split(" ").filter((scope) => scope !== ""))];
  const beyond = scopes.find((scope) => !allowed.includes(scope));
  if (scopes.length > 0 && beyond === undefined) return scopes.toSorted();
  throw new OAuthFault("invalid_scope", `The scope may name: ${allowed.join(" ")}.`);
};
