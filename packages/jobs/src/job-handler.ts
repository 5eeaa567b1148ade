import type { NewJob, OptionRules, Resource } from "@postern/core";
import {
  isStorable,
  jsonFault,
  oneOf,
  option,
  optionFaults,
  refuseFaults,
  required,
  utf8Encode,
} from "@postern/core/internal";
import type { OrderRules, StoredEvent } from "@postern/core/ports";
import type { HandlerContext } from "./handler-context.ts";
import { defaultRetryPolicy, maxAttemptsOf, type RetryPolicy } from "./retry-policy.ts";

/** How the names of Postern's own jobs begin. */
export const ownPrefix = "postern.";

/** How jobs of one kind run. */
export interface JobSettings extends OrderRules {
  /**
   * Unique and stable: after a restart, waiting jobs find their handler by it. 1 to 128 ASCII
   * characters.
   */
  readonly name: string;
  /** 1 to 64 lower-case letters, digits, dots, underscores and hyphens. Default: `default`. */
  readonly queue?: string;
  /** Jobs with a smaller number run first. Default: 0. */
  readonly priority?: number;
  readonly retry: RetryPolicy;
  /** After this many milliseconds the run is aborted and counts as failed. */
  readonly timeoutMs: number;
  /**
   * When the next job of the same order key may start after `context.commit`. `return`, the
   * default: when the handler has returned. `commit`: with the commit, while the handler still
   * runs. If a handler does not return after its signal has told it to stop, the worker waits for
   * it for 10 seconds; after that the next job may run beside it. No effect for a job without an
   * order key.
   */
  readonly release?: "return" | "commit";
  /**
   * The longest payload in bytes of JSON, from 1 to 1,048,576. Default: 65,536. All payloads that a
   * runner claims are in its memory at once, so store large data elsewhere and put a reference into
   * the payload.
   */
  readonly payloadBytes?: number;
  /**
   * The resources whose rows it uses by name. `handlersFor` sets this. An application without one of
   * them does not start.
   */
  readonly resources?: readonly Resource[];
}

/** A job of your own that is not about a webhook event. */
export interface JobHandler<Payload = unknown> extends JobSettings {
  /**
   * Runs the job. It may run more than once for the same job (a crash, a lost connection). If it
   * throws, it runs again later.
   */
  run(payload: Payload, context: HandlerContext): Promise<unknown>;
}

/** What runs the jobs that are about an event: the inbox makes one of each handler of events. */
export interface EventRunnable extends JobSettings {
  /** Runs one job about this event, whose body is still stored. */
  runOn(event: StoredEvent, body: Uint8Array, context: HandlerContext): Promise<unknown>;
}

export type Runnable = JobHandler | EventRunnable;

export type JobOptions = Partial<Omit<JobSettings, "name">>;

const defaultTimeoutMs = 5 * 60_000;
const namePattern = /^[\x21-\x7e]{1,128}$/;
const queuePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Four weeks. For longer waits, use a schedule. */
const longestDelayMs = 28 * 24 * 3600 * 1000;
const mostRetries = 1_000;
const largestPriority = 32_767;
const standardPayload = 64 * 1024;
const longestPayload = 1024 * 1024;

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

const wholeMs = (from: number) => `a whole number of milliseconds from ${from} to ${longestDelayMs}`;

const delaysOf = (retry: unknown): unknown => (option.anObject.is(retry) ? Object(retry).delaysMs : undefined);

const isRetryPolicy = (retry: unknown): boolean => {
  const delays = delaysOf(retry);
  return (
    Array.isArray(delays) &&
    delays.length <= mostRetries &&
    delays.every((delay) => isWhole(delay, 0, longestDelayMs)) &&
    Object.keys(Object(retry)).every((name) => name === "delaysMs")
  );
};

/** The settings of every kind of job. */
export const jobOptionRules: OptionRules = {
  name: required({
    is: (value) => typeof value === "string" && namePattern.test(value),
    says: "1 to 128 ASCII characters without spaces",
  }),
  queue: {
    is: (value) => typeof value === "string" && queuePattern.test(value),
    says: "1 to 64 lower-case letters, digits, dots, underscores and hyphens",
  },
  priority: {
    is: (value) => isWhole(value, -largestPriority, largestPriority),
    says: `a whole number from -${largestPriority} to ${largestPriority}`,
  },
  retry: required({
    is: isRetryPolicy,
    says: `{ delaysMs: […] }, the waits before each further try in milliseconds: at most ${mostRetries}, each from 0 to ${longestDelayMs}`,
  }),
  timeoutMs: required({ is: (value) => isWhole(value, 1, longestDelayMs), says: wholeMs(1) }),
  onRetry: oneOf("keep", "yield"),
  onDead: oneOf("release", "hold"),
  release: oneOf("return", "commit"),
  resources: option.aList,
  payloadBytes: {
    is: (value) => isWhole(value, 1, longestPayload),
    says: `a whole number of bytes from 1 to ${longestPayload}`,
  },
};

/**
 * What is wrong with a job's declaration, whether `defineJob` made it or you wrote the object
 * yourself. `at` is its place, in case it has no name.
 */
export const jobFaults = (job: unknown, at = "job", more: OptionRules = {}): readonly string[] =>
  optionFaults(placeOfHandler(job, at), job, { ...jobOptionRules, run: required(option.aFunction), ...more });

/** How faults refer to a handler that should have a name. */
export const placeOfHandler = (declared: unknown, at: string): string => {
  const name: unknown = Object(declared).name;
  return typeof name === "string" ? `handler "${name}"` : at;
};

/**
 * The settings, with defaults filled in. They may be invalid: the whole declaration is checked
 * later.
 */
export const jobSettings = (name: string, options: JobOptions): JobSettings => ({
  ...options,
  name,
  retry: options.retry ?? defaultRetryPolicy,
  timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
});

/**
 * Declares a job that your application enqueues itself.
 *
 *     const welcome = defineJob<{ userId: string }>("mail.welcome", async ({ userId }, context) => { … });
 *     await app.enqueue(newJob(welcome, { userId }));
 *
 * @throws DeclarationError for an invalid name, option or function.
 */
export const defineJob = <Payload>(
  name: string,
  run: JobHandler<Payload>["run"],
  options: JobOptions = {},
): JobHandler<Payload> => {
  const job = { ...jobSettings(name, options), run };
  refuseFaults(jobFaults(job));
  return job;
};

/**
 * Makes a job for a handler. You can enqueue it by itself, or in the transaction of the data it is
 * about.
 * @throws TypeError for an invalid time, a key that cannot be stored, or a payload that would not
 *   come back from JSON as it is (a `Date`, a `Map`, `NaN`; the message names the place) or is longer
 *   than the job's `payloadBytes` (default 64 KiB).
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
    if (!isStorable(key)) refuse(`${what} has a NUL character or half of a surrogate pair, which cannot be stored`);
  }
  const fault = payload === undefined ? undefined : jsonFault(payload, "payload");
  if (fault !== undefined) refuse(fault);
  const bytes = payload === undefined ? 0 : utf8Encode(JSON.stringify(payload)).length;
  const { payloadBytes: most = standardPayload } = handler;
  if (bytes > most) {
    refuse(`its payload has ${bytes} bytes as JSON; at most ${most} are stored. Store a reference instead`);
  }
  return { ...jobOf(handler), payload, ...more };
};

const mostKeyBytes = 191;

/** The last time that a `Date` can represent (ECMA-262, section 21.4.1.1). */
const lastMoment = 8.64e15;

const kinds = new WeakMap<JobSettings, NewJob>();

/**
 * What all jobs of this kind have in common. Made once, because handlers do not change and every
 * event needs it.
 */
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
