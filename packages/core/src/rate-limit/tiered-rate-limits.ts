import type { RateLimitStore } from "../ports/rate-limit-store.ts";

/**
 * Limits for several nodes. `shared` keeps those that must hold over all nodes; each node keeps the
 * others itself, so that an ordinary request costs no write to the database.
 */
export const tieredRateLimits = ({
  shared,
  own,
}: {
  readonly shared: RateLimitStore;
  readonly own: RateLimitStore;
}): RateLimitStore => {
  const storeFor = ({ exact }: { readonly exact?: boolean }): RateLimitStore => (exact === true ? shared : own);
  return {
    take: (request) => storeFor(request).take(request),
    giveBack: (request) => storeFor(request).giveBack(request),
    forgetFree: async (now) => (await shared.forgetFree(now)) + (await own.forgetFree(now)),
  };
};
