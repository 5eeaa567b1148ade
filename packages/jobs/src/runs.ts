import type { Ports } from "@postern/core";
import type { ActivityCounter } from "@postern/core/internal";
import type { ClaimedJob, Lease, StoredEvent } from "@postern/core/ports";
import type { Attempt, Outcome } from "./attempt.ts";
import type { JobEnds } from "./job-ends.ts";
import { ownPrefix } from "./job-handler.ts";
import { RunStop, type StopReason } from "./run-context.ts";

/**
 * The jobs that run here. A job is among them from its claim until its end is written, or until the
 * first try to write it has failed.
 */
export interface Runs {
  readonly size: number;
  readonly jobs: readonly ClaimedJob[];
  countIn(queue: string): number;
  has(lease: Lease): boolean;
  start(job: ClaimedJob, event: StoredEvent | undefined): void;
  /** Stops one run. It has no effect if the job does not run in this process. */
  stop(lease: Lease, reason: StopReason): void;
  stopAll(reason: StopReason): void;
  /** Calls back each time a job has ended and its slot is free. */
  onEnd(listener: (job: ClaimedJob) => void): void;
  /** Resolves when all that run now have ended. */
  settled(): Promise<void>;
}

interface Run {
  readonly job: ClaimedJob;
  readonly stop: RunStop;
  /** Its place in the list. */
  at: number;
  ended: Promise<void>;
}

export const createRuns = (
  { clock, telemetry }: Pick<Ports, "clock" | "telemetry">,
  attempt: (attempt: Omit<Attempt, "handler">) => Promise<Outcome>,
  ends: Pick<JobEnds, "write" | "report">,
  activity?: Pick<ActivityCounter, "begun" | "ended">,
): Runs => {
  /**
   * In no order. A map under change drops its table again and again, and V8 links each table to the
   * next, so each table that had become old kept the runs of its time until the whole heap was
   * collected. That was half of the memory that was collected in this way.
   */
  const runs: Run[] = [];
  const listeners: ((job: ClaimedJob) => void)[] = [];

  const find = ({ id, lease }: Lease): Run | undefined => runs.find(({ job }) => job.id === id && job.lease === lease);

  const perform = async (run: Run, event: StoredEvent | undefined): Promise<void> => {
    const { job, stop } = run;
    try {
      const { end, isWritten, isCommitted } = await attempt({ job, event, stop });
      // Postern's own upkeep is not what its operators want to see counted.
      if (!job.kind.startsWith(ownPrefix)) activity?.ended(event?.provider ?? "", end.to, clock.now() - job.createdAt);
      if (isWritten) ends.report(job, end);
      else await ends.write(job, end, isCommitted);
    } finally {
      // The last one takes its place.
      const last = runs.pop();
      if (last !== undefined && last !== run) {
        last.at = run.at;
        runs[run.at] = last;
      }
      for (const listener of listeners) listener(job);
    }
  };

  return {
    get size() {
      return runs.length;
    },
    get jobs() {
      return runs.map(({ job }) => job);
    },
    countIn: (queue) => {
      let count = 0;
      for (const { job } of runs) if (job.queue === queue) count += 1;
      return count;
    },
    has: (lease) => find(lease) !== undefined,
    start: (job, event) => {
      if (job.attempt === 1 && job.losses === 0) {
        telemetry.observe("job_pickup_ms", clock.now() - job.createdAt, { queue: job.queue });
        if (event !== undefined) activity?.begun(event.provider, clock.now() - job.createdAt);
      }
      const run: Run = { job, stop: new RunStop(), at: runs.length, ended: Promise.resolve() };
      runs.push(run);
      run.ended = perform(run, event);
    },
    stop: (lease, reason) => find(lease)?.stop.stop(reason),
    stopAll: (reason) => {
      for (const { stop } of runs) stop.stop(reason);
    },
    onEnd: (listener) => void listeners.push(listener),
    settled: async () => {
      await Promise.all(runs.map(({ ended }) => ended));
    },
  };
};
