import type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "../ports/rate-limit-store.ts";

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
  const isExact = ({ exact }: RateLimitRequest): boolean => exact === true;

  /** The requests in their order, divided into runs that belong to the same store. */
  const runsOf = (requests: readonly RateLimitRequest[]): readonly RateLimitRequest[][] => {
    const runs: RateLimitRequest[][] = [];
    for (const request of requests) {
      const [previous] = runs.at(-1) ?? [];
      if (previous !== undefined && isExact(previous) === isExact(request)) runs.at(-1)?.push(request);
      else runs.push([request]);
    }
    return runs;
  };
  const giveBackEach = async (requests: readonly RateLimitRequest[]): Promise<void> => {
    for (const run of runsOf(requests)) await storeFor(run[0] ?? {}).giveBackEach(run);
  };

  return {
    takeEach: async (requests) => {
      const decisions: RateLimitDecision[] = [];
      for (const run of runsOf(requests)) {
        const before = requests.slice(0, decisions.length);
        try {
          decisions.push(...(await storeFor(run[0] ?? {}).takeEach(run)));
        } catch (thrown) {
          await giveBackEach(before);
          throw thrown;
        }
        if (decisions.at(-1)?.allowed === false) {
          await giveBackEach(before);
          break;
        }
      }
      return decisions;
    },
    giveBackEach,
    take: (request) => storeFor(request).take(request),
    giveBack: (request) => storeFor(request).giveBack(request),
    forgetFree: async (now) => (await shared.forgetFree(now)) + (await own.forgetFree(now)),
  };
};
