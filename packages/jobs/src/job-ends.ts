import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import type { ClaimedJob, JobEnd, JobOutcome, Lease } from "@postern/core/ports";
import type { DatabaseClock } from "./database-clock.ts";
import { groupCommit } from "./group-commit.ts";

/** Writes the ends of attempts and reports them. */
export interface JobEnds {
  /**
   * Ends an attempt. It resolves after the first try, so that an end that cannot be written
   * occupies no slot. Further tries follow, one a second: for ten minutes while the storage
   * is away, and ten times after any other failure. After the last try an alert names the job, and `onGivenUp` is called; the job then stays with its lease. If the effect
   * `isCommitted`, the job is done even if the lease was lost meanwhile.
   */
  write(job: ClaimedJob, end: JobEnd, isCommitted?: boolean): Promise<void>;
  /** Reports an end that is already written. */
  report(job: ClaimedJob, end: JobEnd): void;
  /** Whether the end of the job is still to be written. */
  owes(lease: Lease): boolean;
  /** Resolves when every end that is still unwritten now has been written or given up. */
  settled(): Promise<void>;
  /**
   * Tries each unwritten end once more and then stops. Other runners see that this runner is gone
   * and take its jobs.
   */
  lastTries(): Promise<void>;
  /**
   * Gives back a job that this runner holds but does not run. The attempt does not count, unless
   * the job ran and its end could not be written.
   */
  giveBack(lease: Lease): Promise<void>;
}

const limits = { items: 1000, waiting: 100_000 };

/**
 * Names a claim, not a job. A run that has lost its lease, or whose end was written without an
 * answer, may still be under way when this process claims the same job again.
 */
const keyOfLease = ({ id, lease }: Lease): string => `${id}/${lease}`;

const retryMs = 1000;
/** For so long an end is tried again while the storage is away: longer than a restart of a database takes. */
const tryForMs = 10 * 60_000;
/** After any other failure: what fails ten times will fail again. */
const mostTries = 10;
/**
 * From this try on, an end is written without the text of its error, in case the storage refuses
 * that text.
 */
const plainFrom = 4;
const givenUpDelayMs = 60_000;

/** Every end of an attempt that is counted. After `committed`, the attempt goes on. */
const counted: readonly JobEnd["to"][] = ["done", "scheduled", "dead", "ready", "snoozed", "cancelled"];

/** Whether the storage itself failed, and not just one job. */
export const isAway = (thrown: unknown): boolean => thrown instanceof AppError && thrown.status >= 500;

const plain = (end: JobEnd): JobEnd =>
  "error" in end ? { ...end, error: "the handler failed, and the error could not be stored", stack: undefined } : end;

/** An end that is not written yet. */
interface Owed {
  readonly job: ClaimedJob;
  readonly end: JobEnd;
  readonly isCommitted: boolean;
  /** True after a try whose answer may have been lost. */
  unsure: boolean;
  failures: number;
  readonly since: number;
}

interface Listeners {
  /** Called when a job runs again. */
  readonly onLater: (at: number) => void;
  /** Called when an end was not written after the last try. */
  readonly onGivenUp: () => void;
}

/** Reports the ends of attempts as metrics and alerts. */
const reporting = (
  { telemetry, alerts }: Pick<Ports, "telemetry" | "alerts">,
  { onLater }: Pick<Listeners, "onLater">,
) => ({
  report: (job: ClaimedJob, end: JobEnd): void => {
    telemetry.count("jobs_ended", { to: end.to });
    if (end.to === "done" && "error" in end) {
      alerts.raise({
        kind: "job.failed_after_commit",
        text: `${job.kind} failed on event ${job.eventId ?? "-"} after it had committed, and does not run again: ${end.error}`,
        details: { job: job.id, event: job.eventId, kind: job.kind },
      });
    }
    if ("at" in end) onLater(end.at);
    if (end.to === "dead") {
      alerts.raise({
        kind: "job.dead",
        text: `${job.kind} has given up on event ${job.eventId ?? "-"} after ${job.attempt} ${job.attempt === 1 ? "attempt" : "attempts"}: ${end.error}`,
        details: { job: job.id, event: job.eventId, kind: job.kind },
      });
    }
  },
  reportUnwritten: (job: ClaimedJob, end: JobEnd): void => {
    telemetry.count("jobs_end_unwritten");
    alerts.raise({
      kind: "job.end_unwritten",
      text: `The end of job ${job.id} (${job.kind}, ${end.to}) could not be written. It runs again when its lease is over.`,
      details: { job: job.id, event: job.eventId, kind: job.kind },
    });
  },
});

export const createJobEnds = (
  ports: Pick<Ports, "storage" | "clock" | "telemetry" | "alerts"> & { readonly time: Pick<DatabaseClock, "now"> },
  { onLater, onGivenUp }: Listeners,
): JobEnds => {
  const { storage, clock, time, telemetry } = ports;
  const { report, reportUnwritten } = reporting(ports, { onLater });
  for (const to of counted) telemetry.count("jobs_ended", { to }, 0);
  const finish = groupCommit<JobOutcome, boolean>((outcomes) => storage.jobs.finish(outcomes, clock.now()), {
    ...limits,
    // Without this, the first of several ends is written alone, its slot claims a single job, and the
    // slots stay out of step (docs/performance/jobs.md).
    together: () => clock.nextLoopTurn(),
  });
  const owed = new Map<string, Owed & { readonly settled: Promise<void> }>();
  /** Jobs whose end was given up, until they are given back. */
  const givenUp = new Map<string, ClaimedJob>();
  let stopped = false;

  /** True when the end is written, or the lease was lost. */
  const tried = async (one: Owed): Promise<boolean> => {
    const { job, failures } = one;
    const end = failures + 1 < plainFrom ? one.end : plain(one.end);
    try {
      const kept = await finish({ job, end });
      if (end.to === "done" && "error" in end) await storage.jobs.failAfterCommit(job, end, clock.now());
      // An earlier try may have been written although its answer was lost.
      if (kept || one.isCommitted || (one.unsure && (await storage.jobs.leaseState(job)) === "spent")) {
        report(job, end);
      } else {
        telemetry.count("jobs_lease_lost");
        telemetry.log("warn", "a job ended after its lease was lost; its result does not count", { job: job.id });
      }
      return true;
    } catch (thrown) {
      one.unsure = true;
      if (!isAway(thrown)) one.failures += 1;
      telemetry.log("error", "the end of a job could not be written; trying again", { job: job.id }, thrown);
      return false;
    }
  };

  const giveUp = ({ job, end }: Owed): void => {
    givenUp.set(keyOfLease(job), job);
    reportUnwritten(job, end);
    onGivenUp();
  };

  const tryOn = async (one: Owed): Promise<void> => {
    for (;;) {
      await new Promise<void>((resolve) => void clock.after(retryMs, resolve));
      if (stopped) return;
      if (await tried(one)) break;
      if (one.failures < mostTries && clock.monotonic() - one.since < tryForMs) continue;
      giveUp(one);
      break;
    }
    owed.delete(keyOfLease(one.job));
  };

  return {
    write: async (job, end, isCommitted = false) => {
      const one: Owed = { job, end, isCommitted, unsure: false, failures: 0, since: clock.monotonic() };
      if ((await tried(one)) || stopped) return;
      owed.set(keyOfLease(job), Object.assign(one, { settled: tryOn(one) }));
    },
    report,
    owes: (lease) => owed.has(keyOfLease(lease)),
    settled: async () => {
      await Promise.all([...owed.values()].map(({ settled }) => settled));
    },
    lastTries: async () => {
      stopped = true;
      await Promise.all([...owed.values()].map(tried));
      owed.clear();
    },
    giveBack: async (lease) => {
      const key = keyOfLease(lease);
      const job = givenUp.get(key);
      const error = "its end could not be written";
      const at = time.now() + givenUpDelayMs;
      if (job === undefined) await finish({ job: lease, end: { to: "ready" } });
      else if (job.attempt < job.maxAttempts) await finish({ job, end: { to: "scheduled", at, error } });
      else if (await finish({ job, end: { to: "dead", error } })) report(job, { to: "dead", error });
      givenUp.delete(key);
    },
  };
};
