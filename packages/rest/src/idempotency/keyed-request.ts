import { isAdmin, type Principal } from "../access/principal.ts";
import { networkOf } from "../limits/limits.ts";
import type { Operation, RequestFacts } from "../operations/operation.ts";
import type { KeyedRequest } from "./idempotent-answers.ts";

/**
 * Whether an `Idempotency-Key` has an effect: on every request that changes something, except PUT,
 * which can be repeated as it is, webhooks, whose repeats are known by their event, and operations
 * whose declaration says so.
 */
export const takesKey = ({ method, body, own }: Pick<Operation, "method" | "body" | "own">): boolean =>
  (method === "POST" || method === "PATCH" || method === "DELETE") && body !== "raw" && own?.takesKey !== false;

/** A request of an operation, as far as its idempotency key counts. */
export const keyedRequest = (
  { method, path }: Operation,
  { target, base, version, address }: RequestFacts,
  {
    principal,
    ...sent
  }: Pick<KeyedRequest, "key" | "bodyText"> & {
    readonly principal: Principal | undefined;
  },
): KeyedRequest => {
  const caller = callerOf(principal);
  return {
    ...sent,
    caller: caller ?? `address ${address}`,
    admin: isAdmin(principal),
    // Addresses are not counted one by one, because a caller in an IPv6 network can choose among
    // many.
    sharer: caller === undefined ? { who: `address ${networkOf(address)}`, isNetwork: true } : { who: caller },
    address,
    method,
    path,
    version: version.id,
    target,
    base,
  };
};

const callerOf = (principal: Principal | undefined): string | undefined => {
  if (principal === undefined) return undefined;
  return principal.kind === "user" ? `user ${principal.userId}` : `operator ${principal.name}`;
};
