import type { Nesting, Ports } from "@postern/core";
import type { BoundedLines, MailJobs, ReadIn } from "@postern/core/internal";
import { traceIdOf } from "@postern/core/internal";
import type { ClaimedJob, JobEnd, JobFailure, LogFields, StoredEvent } from "@postern/core/ports";
import { keepLine, linesToStore } from "./attempt-log.ts";
import { type CommitParts, createCommit, type RunCommit } from "./commit.ts";
import { afterFailure, snoozed } from "./failure.ts";
import { type HandlerContext, Permanent } from "./handler-context.ts";
import type { Runnable } from "./job-handler.ts";
import { createRead } from "./read.ts";
import { defaultRetryPolicy } from "./retry-policy.ts";
import { RunContext, type RunStop, stoppable } from "./run-context.ts";
import { createRunMails } from "./run-mails.ts";
import { type RunTransactions, transactionsOfRun } from "./run-transactions.ts";
import { describeThrown, readableThrown, stackOf } from "./thrown-value.ts";

export interface Attempt {
  readonly job: ClaimedJob;
  /** Absent when this process has no handler of the job's name. */
  readonly handler: Runnable | undefined;
  /** Absent if the job is not about an event, or if the event's row was deleted. */
  readonly event: StoredEvent | undefined;
  readonly stop: RunStop;
}

type AttemptPorts = Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup" | "randomness">;

/** How a run ended. */
export interface Outcome {
  readonly end: JobEnd;
  /** True if the handler has already written the end itself, with `commit`. */
  readonly isWritten: boolean;
  /** True if the effect is stored: then the job is done, even if its lease is lost. */
  readonly isCommitted: boolean;
}

/**
 * A handler that was told to stop, and does not return, keeps its slot and the turn of its order key
 * for so long. What it waits for has usually failed by then.
 */
const handlerStopMs = 10_000;

/** The dependencies of a run. `time` decides when a job runs again. */
export interface AttemptParts extends CommitParts {
  readonly readIn: ReadIn;
  readonly mailJobs: MailJobs;
  /** Knows the other transactions of the application. Default: only those of the same run are noticed. */
  readonly nesting?: Nesting | undefined;
  /** Whether a failure has a line of its own. */
  readonly failureLines: BoundedLines;
}

/** Runs a handler once and says how the job continues. Never throws. */
export const runAttempt = async (
  ports: AttemptPorts,
  { failureLines, readIn, mailJobs, nesting, ...commitParts }: AttemptParts,
  attempt: Attempt,
): Promise<Outcome> => {
  const { time } = commitParts;
  const { job, handler, event, stop } = attempt;
  const { clock, telemetry, randomness } = ports;
  const toWrite = (end: JobEnd): Outcome => ({ end, isWritten: false, isCommitted: false });
  const { withoutSecrets } = telemetry;
  const retryPorts = { clock: time, randomness, withoutSecrets };
  if (handler === undefined) {
    const missing = new Error(`no handler named "${job.kind}" runs here`);
    return toWrite(afterFailure(retryPorts, job, defaultRetryPolicy, missing));
  }
  const unreadable = job.unreadable ?? event?.unreadable;
  if (unreadable !== undefined) return toWrite({ to: "dead", error: unreadable });
  if (job.eventId !== undefined && event?.body === undefined) {
    return toWrite({ to: "dead", error: `the ${event === undefined ? "event" : "event's body"} is no longer stored` });
  }
  // Made when it is first needed: most runs have no transaction.
  let open: RunTransactions | undefined;
  const transactions = (): RunTransactions => {
    open ??= transactionsOfRun(nesting);
    return open;
  };
  const commit = createCommit(ports, commitParts, job, handler.release ?? "return", transactions);
  const mails = createRunMails({ run: commit.run, isOpen: () => commit.state === "open" }, mailJobs);
  const read = createRead(ports, readIn, transactions);
  const lines: JobFailure["log"][number][] = [];
  const log: HandlerContext["log"] = (level, message, fields = {}) => {
    keepLine(lines, { at: clock.now(), level, message, fields });
    telemetry.log(level, message, Object.assign(namesOf(attempt), fields));
  };
  /** A failure, with what the handler logged before. */
  const failed = (end: JobEnd): Outcome =>
    toWrite("error" in end && lines.length > 0 ? { ...end, log: linesToStore(telemetry, lines) } : end);
  const context = new RunContext(job, stop, { time, log, read, ...mails });
  const started = clock.monotonic();
  const warn = (message: string, about: LogFields, thrown: unknown): void => {
    const { kind } = job;
    if (failureLines(`${kind} ${describeThrown(thrown)}`, { kind })) {
      telemetry.log("warn", message, about, readableThrown(thrown, withoutSecrets));
    }
  };
  try {
    const runTime = { timeoutMs: handler.timeoutMs, stopMs: handlerStopMs };
    await stoppable(clock, stop, runTime, async () => {
      if ("run" in handler) await handler.run(job.payload, context);
      else if (event?.body !== undefined) await handler.runOn(event, event.body, context);
      else throw new Permanent(`"${job.kind}" takes events, and this job is about none`);
      await mails.end();
    });
    return done(commit.state);
  } catch (thrown) {
    if (commit.state !== "open") {
      if (stop.reason === "cancelled") return done(commit.state);
      warn("a handler failed after it had committed; its job is done", { job: job.id }, thrown);
      const end = { to: "done", error: describeThrown(thrown, withoutSecrets), stack: stackOf(thrown) } as const;
      return { ...failed(end), isCommitted: true };
    }
    if (stop.reason === "shutdown" || stop.reason === "lease-lost") return toWrite({ to: "ready" });
    if (stop.reason === "cancelled") return toWrite({ to: "cancelled" });
    const later = snoozed(thrown, time.now());
    if (later !== undefined) return toWrite(later);
    warn("job attempt failed", { ...namesOf(attempt), kind: job.kind, attempt: job.attempt }, thrown);
    return failed(afterFailure(retryPorts, job, handler.retry, thrown));
  } finally {
    commit.isOver = true;
    telemetry.observe("job_run_ms", clock.monotonic() - started);
  }
};

const done = (commit: RunCommit["state"]): Outcome => ({
  end: { to: "done" },
  isWritten: commit === "ended",
  isCommitted: commit !== "open",
});

/**
 * With these ids you find all log lines about this run, its event, and the request that delivered
 * the event.
 */
const namesOf = ({ job, event }: Attempt): LogFields => ({
  job: job.id,
  event: job.eventId,
  trace_id: traceIdOf(event?.headers.traceparent),
});
