import type { Caller } from "@postern/core";
import { networkOf, type RequestLimits, type Use } from "../limits/limits.ts";
import type { ApiRequest } from "../operations/api-request.ts";
import type { Principal } from "./principal.ts";

/** What tells who calls. Every HTTP request has it, also one that is not the API's. */
export interface CallerRequest extends Pick<ApiRequest, "headers" | "credential"> {
  readonly facts: Pick<ApiRequest["facts"], "id" | "address">;
}

/**
 * Finds out who a request acts for; `undefined` for an anonymous request.
 * @throws AppError `invalid_token`, `token_expired` for an invalid credential.
 */
export type Authenticate = (request: CallerRequest) => Promise<Principal | undefined>;

/**
 * Finds out who a request acts for, and counts it: for its user, or for its address if it has no
 * valid credential. Many users may share an address, and none is refused for what others do.
 * @throws AppError `rate_limited`; those of `authenticate`.
 */
export const identify = async (
  authenticate: Authenticate,
  request: CallerRequest & Pick<ApiRequest, "principal" | "onPrincipal">,
  limits: RequestLimits,
): Promise<{ readonly principal: Principal | undefined; readonly use: Use }> => {
  const network = networkOf(request.facts.address);
  let { principal } = request;
  try {
    principal ??= await authenticate(request);
  } catch (thrown) {
    await limits.take("address", network);
    throw thrown;
  }
  if (principal !== undefined) request.onPrincipal?.(principal);
  const use =
    principal?.kind === "user" ? await limits.take("default", principal.userId) : await limits.take("address", network);
  return { principal, use };
};

/** The caller, as the application's own code sees them. A person at the command line is no user. */
export const callerOf = (principal: Principal | undefined): Caller | undefined => {
  if (principal?.kind !== "user") return undefined;
  const { userId, role, credential } = principal;
  const { kind, id } = credential;
  const scopes = "scopes" in credential ? credential.scopes : undefined;
  return { userId, role, ...(scopes === undefined ? {} : { scopes }), credential: { kind, id } };
};
