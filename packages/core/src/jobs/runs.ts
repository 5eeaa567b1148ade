import type { StoredEvent } from "../ports/event-store.ts";
import type { Ports } from "../ports/index.ts";
import type { ClaimedJob, Lease } from "../ports/job.ts";
import type { Attempt, Outcome } from "./attempt.ts";
import type { JobEnds } from "./job-ends.ts";
import { keyOfLease } from "./lease-key.ts";
import { RunStop, type StopReason } from "./run-stop.ts";

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
  readonly ended: Promise<void>;
}

export const createRuns = (
  { clock, telemetry }: Pick<Ports, "clock" | "telemetry">,
  attempt: (attempt: Omit<Attempt, "handler">) => Promise<Outcome>,
  ends: Pick<JobEnds, "write" | "report">,
): Runs => {
  const runs = new Map<string, Run>();
  const listeners: ((job: ClaimedJob) => void)[] = [];

  const run = async (key: string, given: Omit<Attempt, "handler">): Promise<void> => {
    const { job } = given;
    try {
      const { end, isWritten, isCommitted } = await attempt(given);
      if (isWritten) ends.report(job, end);
      else await ends.write(job, end, isCommitted);
    } finally {
      runs.delete(key);
      for (const listener of listeners) listener(job);
    }
  };

  return {
    get size() {
      return runs.size;
    },
    get jobs() {
      return [...runs.values()].map(({ job }) => job);
    },
    countIn: (queue) => {
      let count = 0;
      for (const { job } of runs.values()) if (job.queue === queue) count += 1;
      return count;
    },
    has: (lease) => runs.has(keyOfLease(lease)),
    start: (job, event) => {
      const key = keyOfLease(job);
      const stop = new RunStop();
      if (job.attempt === 1 && job.losses === 0) {
        telemetry.observe("job_pickup_ms", clock.now() - job.createdAt, { queue: job.queue });
      }
      runs.set(key, { job, stop, ended: run(key, { job, event, stop }) });
    },
    stop: (lease, reason) => runs.get(keyOfLease(lease))?.stop.stop(reason),
    stopAll: (reason) => {
      for (const { stop } of runs.values()) stop.stop(reason);
    },
    onEnd: (listener) => void listeners.push(listener),
    settled: async () => {
      await Promise.all([...runs.values()].map((run) => run.ended));
    },
  };
};
