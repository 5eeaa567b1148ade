import { AppError } from "../errors/index.ts";
import type { InboxEvent, InboxHandler } from "../inbox/handler.ts";
import { payloadOf } from "../inbox/payload.ts";
import { traceIdOf } from "../inbox/trace-context.ts";
import type { StoredEvent } from "../ports/event-store.ts";
import type { ClaimedJob, JobEnd } from "../ports/job.ts";
import type { LogFields } from "../ports/telemetry.ts";
import type { newAbortController } from "../runtime.ts";
import { type HandlerContext, LeaseLost, Permanent, RetryAt, Snooze } from "./handler-context.ts";
import type { JobHandler } from "./job-handler.ts";
import { defaultRetryPolicy, type RetryPolicy, retryDelayMs } from "./retry-policy.ts";
import { describeThrown, isThrown, readableThrown } from "./thrown-value.ts";
import type { WorkerParts } from "./worker-parts.ts";

export interface Attempt {
  readonly job: ClaimedJob;
  /** Absent when this process has no handler of the job's name. */
  readonly handler: InboxHandler | JobHandler | undefined;
  /** Absent for a job that is about no event, and when the event's row is gone. */
  readonly event: StoredEvent | undefined;
  readonly controller: ReturnType<typeof newAbortController>;
}

/** Why a run is told to stop: the `reason` of its signal. */
export type StopReason = "timeout" | "cancelled" | "lease-lost" | "shutdown";

/** How long a handler that ignores its signal keeps its slot. */
const stopGraceMs = 10_000;
/** A commit holds the one writer of SQLite, and its locks on MySQL. */
const slowCommitMs = 100;

/** Runs a handler once and says how the job goes on; `committed` when the handler has ended it itself. Never throws. */
export const runAttempt = async (parts: WorkerParts, attempt: Attempt): Promise<JobEnd | "committed"> => {
  const { job, handler, event, controller } = attempt;
  const { clock, telemetry } = parts.ports;
  if (handler === undefined) {
    return failed(parts, job, defaultRetryPolicy, new Error(`no handler named "${job.kind}" runs here`));
  }
  if (job.eventId !== undefined && event?.body === undefined) {
    return { to: "dead", error: `the ${event === undefined ? "event" : "event's body"} is no longer stored` };
  }
  const progress = { committed: false };
  const context = contextOf(parts, attempt, progress);
  const started = clock.monotonic();
  try {
    await stoppable(parts, attempt, handler.timeoutMs, () => perform(parts, attempt, handler, context));
    return progress.committed ? "committed" : { to: "done" };
  } catch (thrown) {
    if (progress.committed) {
      telemetry.log(
        "warn",
        "a handler failed after it had committed; its job is done",
        { job: job.id },
        readableThrown(thrown),
      );
      return "committed";
    }
    const reason = controller.signal.aborted ? (controller.signal.reason as StopReason) : undefined;
    if (reason === "shutdown" || reason === "lease-lost") return { to: "ready" };
    if (reason === "cancelled") return { to: "cancelled" };
    if (isThrown(Snooze, thrown)) {
      const at = clock.now() + numberIn(thrown, "ms");
      if (isMoment(at)) return { to: "snoozed", at };
    }
    const about = { ...namesOf(attempt), kind: job.kind, attempt: job.attempt };
    telemetry.log("warn", "job attempt failed", about, readableThrown(thrown));
    return failed(parts, job, handler.retry, thrown);
  } finally {
    telemetry.observe("job_run_ms", clock.monotonic() - started);
  }
};

const perform = async (
  parts: WorkerParts,
  { job, event }: Attempt,
  handler: InboxHandler | JobHandler,
  context: HandlerContext,
): Promise<void> => {
  if ("run" in handler) return handler.run(job.payload, context);
  if (event?.body === undefined) throw new Permanent(`"${job.kind}" takes events, and this job is about none`);
  return handler.handle(await toInboxEvent(parts, event, event.body), context);
};

/** By which lines of the log about this run, its event and the request that brought it are found together. */
const namesOf = ({ job, event }: Attempt): LogFields => ({
  job: job.id,
  event: job.eventId,
  trace_id: traceIdOf(event?.headers.traceparent),
});

/** How a job goes on after a failure: again when the policy or the handler says, or never. */
const failed = ({ ports }: WorkerParts, job: ClaimedJob, retry: RetryPolicy, thrown: unknown): JobEnd => {
  const error = describeThrown(thrown);
  if (isThrown(Permanent, thrown) || job.attempt >= job.maxAttempts) return { to: "dead", error };
  const now = ports.clock.now();
  const planned = now + retryDelayMs(retry, job.attempt, ports.randomness.fraction());
  const at = isMoment(planned) ? planned : now;
  if (isThrown(Snooze, thrown))
    return { to: "scheduled", at, error: `${error} (it asked to be snoozed for no number of ms)` };
  if (!isThrown(RetryAt, thrown)) return { to: "scheduled", at, error };
  const asked = numberIn(thrown, "at");
  return isMoment(asked)
    ? { to: "scheduled", at: asked, error }
    : { to: "scheduled", at, error: `${error} (it asked for a retry at a time that is no time)` };
};

/** The last moment that a `Date` can tell (ECMA-262, section 21.4.1.1), in milliseconds since the epoch. */
const lastMoment = 8.64e15;

/** Whether a job can be scheduled for it. */
const isMoment = (at: number): boolean => Number.isFinite(at) && at >= 0 && at <= lastMoment;

/** A member that should be a number; NaN for anything else. A date counts as its milliseconds. */
const numberIn = (thrown: object, member: string): number => {
  try {
    const value: unknown = Reflect.get(thrown, member);
    if (value instanceof Date) return value.getTime();
    return typeof value === "number" ? Math.round(value) : Number.NaN;
  } catch {
    return Number.NaN;
  }
};

const contextOf = (parts: WorkerParts, attempt: Attempt, progress: { committed: boolean }): HandlerContext => {
  const { job, controller } = attempt;
  const names = namesOf(attempt);
  const { storage, clock, telemetry, wakeup } = parts.ports;
  return {
    attempt: job.attempt,
    signal: controller.signal,
    idempotencyKey: `postern-job-${job.id}`,
    log: (level, message, fields) => telemetry.log(level, message, { ...names, ...fields }),
    commit: async <Result>(work: Parameters<typeof storage.transaction<Result>>[0]): Promise<Result> => {
      let result: { readonly value: Result } | undefined;
      try {
        await storage.transaction(async (stores) => {
          // First, because it takes the row: whoever lost the lease writes nothing.
          const [kept] = await stores.jobs.finish([{ job, end: { to: "done" } }], clock.now());
          if (kept !== true) throw new LeaseLost(`job ${job.id} is no longer ours`);
          const started = clock.monotonic();
          result = { value: await work(stores) };
          const took = clock.monotonic() - started;
          if (took > slowCommitMs)
            telemetry.log("warn", "a commit took long; others waited for it", { job: job.id, ms: took });
        });
      } catch (thrown) {
        if (result === undefined || !(await hasLanded(parts, job, thrown))) throw thrown;
      }
      progress.committed = true;
      wakeup.notify();
      // Set by the work, without whose end the transaction could not have been committed.
      return (result as { readonly value: Result } | undefined)?.value as Result;
    },
  };
};

const landedTries = 5;
const landedWaitMs = 500;

/** Whether a transaction that ends the attempt was committed although it failed: the answer to a commit may be lost on its way. */
const hasLanded = async ({ ports }: WorkerParts, job: ClaimedJob, failure: unknown): Promise<boolean> => {
  if (!(failure instanceof AppError && failure.status >= 500)) return false;
  for (let tries = 1; ; tries += 1) {
    try {
      return (await ports.storage.jobs.leaseState(job)) === "spent";
    } catch (thrown) {
      if (tries >= landedTries) throw thrown;
      await new Promise<void>((resolve) => void ports.clock.after(landedWaitMs, resolve));
    }
  }
};

const toInboxEvent = async ({ providers }: WorkerParts, event: StoredEvent, body: Uint8Array): Promise<InboxEvent> => ({
  id: String(event.id),
  provider: event.provider,
  eventId: event.eventId,
  type: event.type,
  data: payloadOf(await providers.find(event.provider), body),
  body,
  headers: event.headers,
  receivedAt: event.receivedAt,
  occurredAt: event.occurredAt,
});

const stopMessages: Readonly<Record<Exclude<StopReason, "timeout">, string>> = {
  cancelled: "the job was cancelled",
  "lease-lost": "the job was given to another runner",
  shutdown: "the process is stopping",
};

/** Runs `work`; when it is told to stop, or its time is up, it is over a little later whether it listens or not. */
const stoppable = (
  { ports }: WorkerParts,
  { controller }: Attempt,
  timeoutMs: number,
  work: () => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { signal } = controller;
    const late = new Error(`the handler took longer than ${timeoutMs} ms`);
    const stopped = (): Error =>
      signal.reason === "timeout" ? late : new Error(stopMessages[signal.reason as keyof typeof stopMessages]);
    let cancelGrace = (): void => undefined;
    const cancelTimeout = ports.clock.after(timeoutMs, () => controller.abort("timeout"));
    signal.addEventListener(
      "abort",
      () => {
        cancelTimeout();
        cancelGrace = ports.clock.after(stopGraceMs, () => reject(stopped()));
      },
      { once: true },
    );
    const settle = (): void => {
      cancelTimeout();
      cancelGrace();
    };
    // A handler may be written without `async` and throw before it returns a promise.
    void Promise.resolve()
      .then(work)
      .then(resolve, (thrown: unknown) => reject(signal.reason === "timeout" ? late : thrown))
      .finally(settle);
  });
