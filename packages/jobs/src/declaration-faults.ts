import { faultsThrownBy } from "@postern/core/internal";
import type { CronPlan } from "@postern/core/ports";
import { type JobHandler, jobFaults } from "./job-handler.ts";
import { type Schedule, scheduleFaults } from "./schedule.ts";

/** What is wrong with the declarations of jobs and schedules, each at its place. */
export const faultsOfJobs = (jobs: readonly JobHandler[]): readonly string[] =>
  jobs.flatMap((job, index) => jobFaults(job, `jobs[${index}]`));

/** The same for schedules, with what the plan finds in their cron expressions. */
export const faultsOfSchedules = (
  schedules: readonly Schedule[],
  { cronPlan }: { readonly cronPlan: Pick<CronPlan, "check"> },
): readonly string[] =>
  schedules.flatMap((one, index) => {
    const faults = scheduleFaults(one, `schedules[${index}]`);
    return faults.length > 0
      ? faults
      : faultsThrownBy(() => cronPlan.check(one)).map((fault) => `schedule "${one.name}": ${fault}`);
  });

/** Names that occur twice in one table. */
export const repeated = (what: string, entries: readonly unknown[]): readonly string[] => {
  const names = entries
    .flatMap((entry): readonly unknown[] => [Object(entry).name])
    .filter((name) => name !== undefined);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map((name) => `there are two entries named "${String(name)}" in the ${what} table`);
};
