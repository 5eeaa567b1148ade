import type { Environment } from "../environment.ts";
import {
  type HandlerContext,
  type InboxEvent,
  type InboxHandler,
  LeaseLost,
  Permanent,
  RetryAt,
} from "../inbox/handler.ts";
import { parsedJson } from "../inbox/quarantine.ts";
import type { StoredEvent } from "../ports/event-store.ts";
import type { ClaimedJob, JobEnd } from "../ports/job-store.ts";
import type { newAbortController } from "../runtime.ts";
import { defaultRetryPolicy, type RetryPolicy, retryDelayMs } from "./retry-policy.ts";

export interface Attempt {
  readonly job: ClaimedJob;
  /** Absent when this process has no handler of the job's name. */
  readonly handler: InboxHandler | undefined;
  /** Absent when the event's row is gone. */
  readonly event: StoredEvent | undefined;
  readonly controller: ReturnType<typeof newAbortController>;
}

/** How long a handler that ignores its signal keeps its slot. */
const timeoutGraceMs = 10_000;
const maxErrorLength = 4096;

/** Runs a handler once and says how the job goes on; `committed` when the handler has ended it itself. Never throws. */
export const runAttempt = async (environment: Environment, attempt: Attempt): Promise<JobEnd | "committed"> => {
  const { job, handler, event, controller } = attempt;
  const { clock, telemetry } = environment.ports;
  if (event === undefined) return { to: "dead", error: "the event is no longer stored" };
  if (handler === undefined) {
    return failed(environment, job, defaultRetryPolicy, new Error(`no handler named "${job.kind}" runs here`));
  }
  const progress = { committed: false };
  const started = clock.monotonic();
  try {
    await withinTime(environment, attempt, handler.timeoutMs, () =>
      handler.handle(toInboxEvent(event), contextOf(environment, attempt, progress)),
    );
    return progress.committed ? "committed" : { to: "done" };
  } catch (thrown) {
    if (progress.committed) {
      telemetry.log("warn", "a handler failed after it had committed; its job is done", { job: job.id }, thrown);
      return "committed";
    }
    if (controller.signal.aborted && controller.signal.reason === "shutdown") return { to: "ready" };
    telemetry.log("warn", "job attempt failed", { job: job.id, kind: job.kind, attempt: job.attempt }, thrown);
    return failed(environment, job, handler.retry, thrown);
  } finally {
    telemetry.observe("job_run_ms", clock.monotonic() - started);
  }
};

/** How a job goes on after a failure: again when the policy or the handler says, or never. */
const failed = ({ ports }: Environment, job: ClaimedJob, retry: RetryPolicy, thrown: unknown): JobEnd => {
  const error = describe(thrown);
  if (thrown instanceof Permanent || job.attempt >= job.maxAttempts) return { to: "dead", error };
  const wait = retryDelayMs(retry, job.attempt, ports.randomness.fraction());
  return { to: "scheduled", at: thrown instanceof RetryAt ? thrown.at : ports.clock.now() + wait, error };
};

const describe = (thrown: unknown): string =>
  (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).slice(0, maxErrorLength);

const contextOf = (
  { ports }: Environment,
  { job, controller }: Attempt,
  progress: { committed: boolean },
): HandlerContext => ({
  attempt: job.attempt,
  signal: controller.signal,
  idempotencyKey: `postern-job-${job.id}`,
  log: (level, message, fields) => ports.telemetry.log(level, message, { job: job.id, ...fields }),
  commit: async (work) => {
    const result = await ports.storage.transaction(async (stores) => {
      // First, because it takes the row: whoever lost the lease writes nothing.
      const [kept] = await stores.jobs.finish([{ job, end: { to: "done" } }], ports.clock.now());
      if (kept !== true) throw new LeaseLost(`job ${job.id} is no longer ours`);
      return work(stores);
    });
    progress.committed = true;
    return result;
  },
});

const toInboxEvent = (event: StoredEvent): InboxEvent => ({
  id: String(event.id),
  provider: event.provider,
  eventId: event.eventId,
  type: event.type,
  data: parsedJson(event.body),
  body: event.body,
  headers: event.headers,
  receivedAt: event.receivedAt,
  occurredAt: event.occurredAt,
});

/** Runs `work`; when its time is up it is told so, and a little later the attempt has failed whether it listens or not. */
const withinTime = (
  { ports }: Environment,
  { controller }: Attempt,
  timeoutMs: number,
  work: () => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = new Error(`the handler took longer than ${timeoutMs} ms`);
    let cancelGrace = (): void => undefined;
    const cancelTimeout = ports.clock.after(timeoutMs, () => {
      controller.abort("timeout");
      cancelGrace = ports.clock.after(timeoutGraceMs, () => reject(late));
    });
    const settle = (): void => {
      cancelTimeout();
      cancelGrace();
    };
    // A handler may be written without `async` and throw before it returns a promise.
    void Promise.resolve()
      .then(work)
      .then(resolve, (thrown: unknown) => reject(controller.signal.reason === "timeout" ? late : thrown))
      .finally(settle);
  });
