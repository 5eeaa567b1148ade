import type { NewJob, OrderRules } from "../ports/job.ts";
import { utf8Encode } from "../runtime.ts";
import type { HandlerContext } from "./handler-context.ts";
import { defaultRetryPolicy, maxAttemptsOf, type RetryPolicy } from "./retry-policy.ts";

/** How jobs of one kind run, whatever they are about. */
export interface JobSettings extends OrderRules {
  /** Unique and stable: waiting jobs are found by it after a restart. 1 to 128 ASCII characters. */
  readonly name: string;
  /** `default` unless told; 1 to 64 lower-case letters, digits, dots, underscores and hyphens. */
  readonly queue?: string;
  /** Smaller first; 0 unless told. */
  readonly priority?: number;
  readonly retry: RetryPolicy;
  /** After this long the run is told to stop, and has failed. */
  readonly timeoutMs: number;
}

/** Work of the application's own that is not about a webhook event. */
export interface JobHandler<Payload = unknown> extends JobSettings {
  /** May run more than once for one job (a crash, a lost connection); throwing means: again later. */
  run(payload: Payload, context: HandlerContext): Promise<void>;
}

export type JobOptions = Partial<Omit<JobSettings, "name">>;

const defaultTimeoutMs = 5 * 60_000;
const namePattern = /^[\x21-\x7e]{1,128}$/;
const queuePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Four weeks: what waits longer is a schedule's business. */
const longestDelayMs = 28 * 24 * 3600 * 1000;
const mostRetries = 1_000;
const largestPriority = 32_767;

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

/** @throws TypeError that names what is wrong and what would be right. */
const checkSettings = (name: string, { retry, timeoutMs, priority, onRetry, onDead }: JobOptions): void => {
  const refuse = (what: string): never => {
    throw new TypeError(`handler "${name}": ${what}`);
  };
  if (timeoutMs !== undefined && !isWhole(timeoutMs, 1, longestDelayMs)) {
    refuse(`timeoutMs is a whole number of milliseconds from 1 to ${longestDelayMs}, not ${String(timeoutMs)}`);
  }
  if (priority !== undefined && !isWhole(priority, -largestPriority, largestPriority)) {
    refuse(`priority is a whole number from -${largestPriority} to ${largestPriority}, not ${String(priority)}`);
  }
  if (retry !== undefined) {
    const delays: unknown = retry.delaysMs;
    if (!Array.isArray(delays) || delays.length > mostRetries) {
      refuse(`retry is { delaysMs: […] }, the waits in milliseconds, with at most ${mostRetries} entries`);
    } else if (!delays.every((delay) => isWhole(delay, 0, longestDelayMs))) {
      refuse(`retry.delaysMs holds whole numbers of milliseconds from 0 to ${longestDelayMs}`);
    }
  }
  if (onRetry !== undefined && onRetry !== "keep" && onRetry !== "yield") refuse('onRetry is "keep" or "yield"');
  if (onDead !== undefined && onDead !== "release" && onDead !== "hold") refuse('onDead is "release" or "hold"');
};

/** @throws TypeError for a name, a queue or a setting that cannot be meant. */
export const jobSettings = (name: string, options: JobOptions): JobSettings => {
  if (!namePattern.test(name)) {
    throw new TypeError(`handler "${name}": a name is 1 to 128 ASCII characters without spaces`);
  }
  if (options.queue !== undefined && !queuePattern.test(options.queue)) {
    throw new TypeError(
      `handler "${name}": a queue is 1 to 64 lower-case letters, digits, dots, underscores and hyphens, not "${options.queue}"`,
    );
  }
  checkSettings(name, options);
  return {
    ...options,
    name,
    retry: options.retry ?? defaultRetryPolicy,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
  };
};

/**
 * Work that the application enqueues itself.
 *
 *     const welcome = defineJob<{ userId: string }>("mail.welcome", async ({ userId }, context) => { … });
 *     await app.enqueue(newJob(welcome, { userId }));
 *
 * @throws TypeError for a name or a queue that cannot be stored.
 */
export const defineJob = <Payload>(
  name: string,
  run: JobHandler<Payload>["run"],
  options: JobOptions = {},
): JobHandler<Payload> => ({ ...jobSettings(name, options), run });

/**
 * A job for a handler, to be enqueued by itself or in the transaction of the data it is about.
 * @throws TypeError for a time that is no time, or a key that cannot be stored.
 */
export const newJob = <Payload>(
  handler: JobHandler<Payload>,
  payload: Payload,
  more: Pick<NewJob, "dueAt" | "orderKey" | "unique" | "priority"> = {},
): NewJob => {
  const refuse = (what: string): never => {
    throw new TypeError(`job "${handler.name}": ${what}`);
  };
  if (more.dueAt !== undefined && !isWhole(more.dueAt, 0, lastMoment)) {
    refuse(`dueAt is a time in whole milliseconds since the epoch, not ${String(more.dueAt)}`);
  }
  if (more.priority !== undefined && !isWhole(more.priority, -largestPriority, largestPriority)) {
    refuse(`priority is a whole number from -${largestPriority} to ${largestPriority}, not ${String(more.priority)}`);
  }
  for (const [what, key] of [
    ["orderKey", more.orderKey],
    ["unique.key", more.unique?.key],
  ] as const) {
    if (key === undefined) continue;
    const bytes = typeof key === "string" ? utf8Encode(key).length : 0;
    if (bytes < 1 || bytes > mostKeyBytes) refuse(`${what} is a text of 1 to ${mostKeyBytes} bytes`);
  }
  return { ...jobOf(handler), payload, ...more };
};

const mostKeyBytes = 191;
/** The last moment that a `Date` can tell (ECMA-262, section 21.4.1.1). */
const lastMoment = 8.64e15;

const kinds = new WeakMap<JobSettings, NewJob>();

/** What every job of this kind has in common; made once, as handlers do not change and every event asks. */
export const jobOf = (handler: JobSettings): NewJob => {
  const known = kinds.get(handler);
  if (known !== undefined) return known;
  const { name, queue, priority, retry, onRetry, onDead } = handler;
  const made = {
    kind: name,
    maxAttempts: maxAttemptsOf(retry),
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority }),
    ...(onRetry === undefined ? {} : { onRetry }),
    ...(onDead === undefined ? {} : { onDead }),
  };
  kinds.set(handler, made);
  return made;
};
