import { mayCancel, mayRetry } from "@postern/core/internal";
import type { Job, JobFilter } from "@postern/core/ports";
import { batchSize, changedMeanwhile, type PlanRequest, type PlanSubject, type Verdict } from "./plan-subject.ts";
import type { ReplayParts } from "./replay-event.ts";

const judge = ({ action }: Pick<PlanRequest, "action">, job: Job): Verdict<number> => {
  if (action === "retry" ? mayRetry(job) : mayCancel(job)) {
    const made = { kind: job.kind, orderKey: job.orderKey };
    return { kind: "do", chosen: job.id, made: async () => [made] };
  }
  return { kind: "skip", reason: `it is ${job.state}` };
};

/** The jobs that a plan runs again or cancels. Those that another job has replaced do not belong to it. */
export const jobSubject = (
  { storage }: Pick<ReplayParts["ports"], "storage">,
  { action, jobs: filter = {} }: Pick<PlanRequest, "action" | "jobs">,
): PlanSubject<number> => {
  const wanted: JobFilter = { ...filter, current: true };
  /** The jobs of the last batch: they were read with it. */
  let read: readonly Job[] = [];
  return {
    next: async (after) => {
      const listed = await storage.jobRecords.list({ ...wanted, after, limit: batchSize + 1 });
      read = listed.slice(0, batchSize);
      const ids = read.map(({ id }) => id);
      return { looked: ids, selected: new Set(ids), isLast: listed.length <= batchSize };
    },
    judge: async (ids) =>
      new Map(read.flatMap((job) => (ids.includes(job.id) ? [[job.id, judge({ action }, job)]] : []))),
    act: async ({ jobRecords }, chosen, now) => {
      const done: number[] = [];
      // One after the other: jobs of one order key take their turns in the order in which they came.
      for (const id of chosen) {
        const outcome = action === "retry" ? await jobRecords.retry(id, now) : await jobRecords.cancel(id, now);
        done.push(outcome === undefined ? 0 : 1);
      }
      return done;
    },
    whyLate: changedMeanwhile,
    makesJobs: action === "retry",
  };
};
