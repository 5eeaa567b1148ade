import type { NewJob, OrderRules } from "../ports/job.ts";
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

/** @throws TypeError for a name or a queue that cannot be stored. */
export const jobSettings = (name: string, options: JobOptions): JobSettings => {
  if (!namePattern.test(name)) {
    throw new TypeError(`handler "${name}": a name is 1 to 128 ASCII characters without spaces`);
  }
  if (options.queue !== undefined && !queuePattern.test(options.queue)) {
    throw new TypeError(
      `handler "${name}": a queue is 1 to 64 lower-case letters, digits, dots, underscores and hyphens, not "${options.queue}"`,
    );
  }
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

/** A job for a handler, to be enqueued by itself or in the transaction of the data it is about. */
export const newJob = <Payload>(
  handler: JobHandler<Payload>,
  payload: Payload,
  more: Pick<NewJob, "dueAt" | "orderKey" | "unique" | "priority"> = {},
): NewJob => ({ ...jobOf(handler), payload, ...more });

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
