import type { Ports } from "@postern/core";
import type { ClaimedJob, JobEnd } from "@postern/core/ports";
import { Permanent, RetryAt, Snooze } from "./handler-context.ts";
import { type RetryPolicy, retryDelayMs } from "./retry-policy.ts";
import { describeThrown, isThrown, stackOf } from "./thrown-value.ts";

/** A shorter snooze waits for this long: its attempts do not count, so it could run for ever. */
const shortestSnoozeMs = 1_000;

/**
 * The end that follows from a `Snooze`, after which the attempt does not count; `undefined` for any
 * other failure, also for a `Snooze` whose time is negative or not a number.
 */
export const snoozed = (thrown: unknown, now: number): JobEnd | undefined => {
  if (!isThrown(Snooze, thrown)) return undefined;
  const ms = numberIn(thrown, "ms");
  const at = now + Math.max(shortestSnoozeMs, ms);
  return ms >= 0 && isMoment(at) ? { to: "snoozed", at } : undefined;
};

/**
 * What happens to a job after a failure: it runs again at the time that the policy or the handler
 * gives, or it is dead.
 */
export const afterFailure = (
  {
    clock,
    randomness,
    withoutSecrets,
  }: Pick<Ports, "randomness"> &
    Pick<Ports["telemetry"], "withoutSecrets"> & { readonly clock: Pick<Ports["clock"], "now"> },
  job: ClaimedJob,
  retry: RetryPolicy,
  thrown: unknown,
): JobEnd => {
  const error = describeThrown(thrown, withoutSecrets);
  const stack = stackOf(thrown);
  if (isThrown(Permanent, thrown) || job.attempt >= job.maxAttempts) return { to: "dead", error, stack };
  const now = clock.now();
  const planned = now + retryDelayMs(retry, job.attempt, randomness.fraction());
  const at = isMoment(planned) ? planned : now;
  if (isThrown(Snooze, thrown)) {
    const asked = "it asked to be snoozed for a time that is not a number of ms from 0 on";
    return { to: "scheduled", at, error: `${error} (${asked})`, stack };
  }
  if (!isThrown(RetryAt, thrown)) return { to: "scheduled", at, error, stack };
  const asked = timeIn(thrown, "at");
  return isMoment(asked)
    ? { to: "scheduled", at: asked, error, stack }
    : { to: "scheduled", at, error: `${error} (it asked for a retry at an invalid time)`, stack };
};

/**
 * The last moment that a `Date` can represent (ECMA-262, section 21.4.1.1), in milliseconds since
 * the epoch.
 */
const lastMoment = 8.64e15;

/** Whether a job can be scheduled for this time. */
const isMoment = (at: number): boolean => Number.isFinite(at) && at >= 0 && at <= lastMoment;

/** A member that should be a number; NaN for anything else. */
const numberIn = (thrown: object, member: string): number => {
  const value = memberOf(thrown, member);
  return typeof value === "number" ? Math.round(value) : Number.NaN;
};

/** The same for a time: a date counts as its milliseconds. */
const timeIn = (thrown: object, member: string): number => {
  const value = memberOf(thrown, member);
  return value instanceof Date ? value.getTime() : numberIn(thrown, member);
};

/** A member, which may be a getter that throws. */
const memberOf = (thrown: object, member: string): unknown => {
  try {
    return Reflect.get(thrown, member);
  } catch {
    return undefined;
  }
};
