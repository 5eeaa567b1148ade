import type { NewJob } from "@postern/core";
import type { StoredPlan } from "@postern/core/ports";
import { type PlanRun, type ReplayParts, stepPlan } from "@postern/inbox/internal";
import { defineJob, type JobHandler, newJob, type Schedule, Snooze, schedule } from "@postern/jobs";

const second = 1_000;
const day = 24 * 3_600 * second;
const delaysMs = [second, 5 * second, 30 * second];

/** For how long plans are kept that have ended or were never run. */
const keptMs = 90 * day;
/** How many plans one run of the schedule looks at, and one statement deletes. */
const plansAtOnce = 500;

/** Runs plans in the background. */
export interface EventPlans {
  readonly jobs: readonly JobHandler<PlanRun>[];
  readonly schedules: readonly Schedule[];
  /** The job that runs a plan from now on. Enqueue it with the row of the plan. */
  jobFor(plan: Pick<StoredPlan, "id" | "runs">): NewJob;
}

/**
 * Plans of events. A job runs each, in steps of about a second. Between them it is snoozed, so it
 * takes no slot, and any process goes on with it. Where it comes to is stored with the plan, so the
 * job itself may be lost.
 */
export const eventPlans = (parts: ReplayParts): EventPlans => {
  const { storage, clock } = parts.ports;

  const job = defineJob<PlanRun>(
    "postern.run-plan",
    async (run, { signal }) => {
      const waitMs = await stepPlan(parts, run, signal);
      if (waitMs !== undefined) throw new Snooze(waitMs, "the plan goes on");
    },
    // Before the jobs that it makes, because its rate would depend on them.
    { retry: { delaysMs }, priority: -1 },
  );

  const jobFor: EventPlans["jobFor"] = ({ id: planId, runs: run }) =>
    newJob(job, { planId, run }, { unique: { key: `postern.run-plan:${planId}:${run}` } });

  /** Makes the jobs of running plans that have none: theirs was cancelled, or is dead. */
  const goOn = async (): Promise<void> => {
    const running = await storage.plans.list({ state: "running", limit: plansAtOnce });
    if (running.length > 0) await storage.jobs.enqueue(running.map(jobFor), clock.now());
  };

  return {
    jobs: [job],
    schedules: [
      {
        ...schedule("postern.go-on-with-plans", "*/5 * * * *", goOn, { missed: "skip" }),
        isNeeded: async () => (await storage.plans.list({ state: "running", limit: 1 })).length > 0,
      },
      schedule("postern.purge-plans", "47 * * * *", async (_due, { log }) => {
        const deleted = await storage.plans.prune(clock.now() - keptMs, plansAtOnce);
        if (deleted > 0) log("info", "deleted plans that were kept long enough", { plans: deleted });
      }),
    ],
    jobFor,
  };
};
