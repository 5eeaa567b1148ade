import type { RateLimitDecision, RateLimitRequest, RateLimitStore } from "../ports/rate-limit-store.ts";
import { gcra, gcraGiveBack, gcraOfEach } from "../rate-limit/gcra.ts";
import { setBounded } from "./bounded-map.ts";

/**
 * Rate limits of one process. A key that is free again is forgotten when others come in. At most
 * `maxKeys` (100,000) are kept. Beyond that, the key unused for longest is forgotten, together with
 * what it had used.
 */
export const memoryRateLimitStore = ({ maxKeys = 100_000 }: { readonly maxKeys?: number } = {}): RateLimitStore => {
  // In order of last use, so that keys that can be forgotten are at the front.
  const arrivals = new Map<string, number>();

  /** Also forgets at most two keys that are free again. */
  const keep = ({ key, now }: RateLimitRequest, tat: number): void => {
    let looked = 0;
    for (const [oldest, arrival] of arrivals) {
      if (arrival > now * 1000 || ++looked > 2) break;
      arrivals.delete(oldest);
    }
    setBounded(arrivals, key, tat, maxKeys);
  };

  const giveBack = (request: RateLimitRequest): void => {
    const stored = arrivals.get(request.key);
    if (stored !== undefined) arrivals.set(request.key, gcraGiveBack(stored, request));
  };

  return {
    takeEach: async (requests) => {
      const decisions: RateLimitDecision[] = [];
      for (const [index, { decision, tat }] of gcraOfEach(arrivals, requests).entries()) {
        const request = requests[index];
        if (request !== undefined) keep(request, tat);
        decisions.push(decision);
      }
      return decisions;
    },
    giveBackEach: async (requests) => requests.forEach(giveBack),
    take: async (request) => {
      const { decision, tat } = gcra(arrivals.get(request.key), request);
      keep(request, tat);
      return decision;
    },
    giveBack: async (request) => giveBack(request),
    forgetFree: async (now) => {
      const free = [...arrivals].filter(([, tat]) => tat < now * 1000);
      for (const [key] of free) arrivals.delete(key);
      return free.length;
    },
  };
};
