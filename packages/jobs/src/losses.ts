import type { Ports } from "@postern/core";
import type { GivenUpJob, RecoveryPolicy } from "@postern/core/ports";
import type { DatabaseClock } from "./database-clock.ts";

/**
 * A job that was running when two runners died runs alone from then on. If it kills a third runner,
 * it takes no innocent job with it.
 */
export const suspectAfter = 2;

const delayAfterLossMs = (losses: number): number => 500 * losses * losses;

/** What becomes of jobs that have lost their runner, and who is told. */
export interface Losses {
  policy(): RecoveryPolicy;
  /** Tells of jobs that were taken back from `what`. */
  report(what: string, result: { readonly recovered: number; readonly dead: readonly GivenUpJob[] }): void;
}

/** `time` says when a job that lost its runner runs again. */
export const createLosses = (
  { telemetry, alerts, wakeup }: Pick<Ports, "telemetry" | "alerts" | "wakeup">,
  time: Pick<DatabaseClock, "now">,
  maxLosses: number,
): Losses => ({
  policy: () => ({
    now: time.now(),
    maxLosses,
    suspectLosses: Math.min(suspectAfter, Math.max(1, maxLosses - 1)),
    delayMs: delayAfterLossMs,
  }),
  report: (what, { recovered, dead }) => {
    telemetry.count("jobs_lost_runner", {}, recovered + dead.length);
    if (dead.length > 0) telemetry.count("jobs_ended", { to: "dead" }, dead.length);
    for (const { id: job, kind, eventId, losses } of dead) {
      alerts.raise({
        kind: "job.dead",
        text: `${kind} has given up on job ${job}: its runner died ${losses} times while it ran.`,
        details: { job, event: eventId, kind, runner: what },
      });
    }
    wakeup.notify();
  },
});
