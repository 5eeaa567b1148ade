import type { RateLimitDecision, RateLimitRequest } from "../ports/rate-limit-store.ts";

/**
 * The answer, and the state to store in place of the old one. If `tat` is what was stored, nothing
 * needs to be written.
 */
export interface GcraStep {
  readonly decision: RateLimitDecision;
  /**
   * Theoretical arrival time: whole microseconds since the epoch (a safe integer until the year
   * 2255). A time in the past no longer matters.
   */
  readonly tat: number;
}

/**
 * One step of the generic cell rate algorithm (ITU-T I.371, virtual scheduling). Every
 * `RateLimitStore` wraps this pure function in something that makes its read and write atomic.
 * `stored` is the `tat` of the last step for this key. It is `undefined` if there was none, or if
 * it was dropped because it had passed.
 *
 * It counts in whole microseconds, so that exactly `limit` uses fit into an unused window, however
 * they are spread. This makes the window up to `limit / 2` microseconds longer or shorter than
 * asked. A caller never waits longer than one window, even if the clock was set back.
 *
 * @throws TypeError unless `limit` and `windowMs` are whole numbers, 1 or more, with at most ten
 *   uses per millisecond.
 */
export const gcra = (stored: number | undefined, { limit, windowMs, now }: RateLimitRequest): GcraStep => {
  const interval = intervalOf(limit, windowMs);
  const nowMicros = Math.round(now * 1000);
  const window = interval * limit;
  const before = Math.min(Math.max(stored ?? nowMicros, nowMicros), nowMicros + window);
  const waitMicros = before + interval - window - nowMicros;
  const allowed = waitMicros <= 0;
  const tat = allowed ? before + interval : before;
  const used = tat - nowMicros;
  return {
    tat,
    decision: {
      allowed,
      remaining: Math.floor((window - used) / interval),
      resetMs: Math.ceil(used / 1000),
      retryAfterMs: allowed ? 0 : Math.ceil(waitMicros / 1000),
    },
  };
};

/** Microseconds for each use. */
const intervalOf = (limit: number, windowMs: number): number => {
  const valid = Number.isSafeInteger(limit) && Number.isSafeInteger(windowMs) && limit >= 1 && limit <= windowMs * 10;
  if (!valid) throw new TypeError(`a limit of ${limit} uses per ${windowMs} ms cannot be kept`);
  return Math.round((windowMs * 1000) / limit);
};

/**
 * The steps of several keys, up to the first refusal. `stored` has the states of the keys. If the
 * last step is a refusal, the states of the others to store are those without the use.
 * @throws TypeError as `gcra`, and if a key comes twice.
 */
export const gcraOfEach = (
  stored: ReadonlyMap<string, number>,
  requests: readonly RateLimitRequest[],
): readonly GcraStep[] => {
  // A second step of the same key would need the result of the first one.
  if (requests.length > 1 && new Set(requests.map(({ key }) => key)).size < requests.length) {
    throw new TypeError("a key comes twice");
  }
  const steps: GcraStep[] = [];
  for (const request of requests) {
    const step = gcra(stored.get(request.key), request);
    steps.push(step);
    if (step.decision.allowed) continue;
    return steps.map(({ decision, tat }, index) => ({
      decision,
      tat: decision.allowed ? gcraGiveBack(tat, requests[index] ?? request) : tat,
    }));
  }
  return steps;
};

/** The state after one allowed use is given back. */
export const gcraGiveBack = (stored: number, { limit, windowMs }: RateLimitRequest): number =>
  stored - intervalOf(limit, windowMs);
