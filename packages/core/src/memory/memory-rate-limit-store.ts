import type { RateLimitStore } from "../ports/rate-limit-store.ts";
import { gcra, gcraGiveBack } from "../rate-limit/gcra.ts";
import { setBounded } from "./bounded-map.ts";

/**
 * Rate limits of one process. A key that is free again is forgotten when others come in. At most
 * `maxKeys` (100,000) are kept. Beyond that, the key unused for longest is forgotten, together with
 * what it had used.
 */
export const memoryRateLimitStore = ({ maxKeys = 100_000 }: { readonly maxKeys?: number } = {}): RateLimitStore => {
  // In order of last use, so that keys that can be forgotten are at the front.
  const arrivals = new Map<string, number>();

  const forgetSome = (nowMicros: number): void => {
    let looked = 0;
    for (const [key, tat] of arrivals) {
      if (tat > nowMicros || ++looked > 2) return;
      arrivals.delete(key);
    }
  };

  return {
    take: async (request) => {
      const { decision, tat } = gcra(arrivals.get(request.key), request);
      forgetSome(request.now * 1000);
      setBounded(arrivals, request.key, tat, maxKeys);
      return decision;
    },
    giveBack: async (request) => {
      const stored = arrivals.get(request.key);
      if (stored !== undefined) arrivals.set(request.key, gcraGiveBack(stored, request));
    },
    forgetFree: async (now) => {
      const free = [...arrivals].filter(([, tat]) => tat < now * 1000);
      for (const [key] of free) arrivals.delete(key);
      return free.length;
    },
  };
};
