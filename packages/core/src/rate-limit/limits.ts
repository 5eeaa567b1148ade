import type { Environment } from "../environment.ts";
import { AppError } from "../errors/index.ts";
import type { Operation, SpecialLimit } from "../operations/operation.ts";

/** Uses per window and network address. */
const limits: Readonly<Record<SpecialLimit, { readonly limit: number; readonly windowMs: number }>> = {
  "sign-in": { limit: 20, windowMs: 60_000 },
  "sign-up": { limit: 20, windowMs: 60_000 },
};

/** @throws AppError `rate_limited`, with `Retry-After`, when the operation has a limit of its own and this address has used it up. */
export const checkLimits = async (
  { ports, settings }: Environment,
  operation: Operation,
  address: string,
): Promise<void> => {
  if (operation.limit === undefined || settings.rateLimits === "off") return;
  const decision = await ports.rateLimits.take({
    key: `${operation.limit}:${address}`,
    ...limits[operation.limit],
    now: ports.clock.now(),
  });
  if (decision.allowed) return;
  const seconds = Math.ceil(decision.retryAfterMs / 1000);
  throw new AppError("rate_limited", {
    detail: `Too many tries from this address; wait ${seconds} s.`,
    headers: { "retry-after": String(seconds) },
  });
};
