import { refuseFaults } from "@postern/core/internal";
import { faultsOfJobs, faultsOfSchedules, repeated } from "./declaration-faults.ts";
import type { JobHandler } from "./job-handler.ts";
import type { Jobs, JobsOptions } from "./jobs.ts";
import { createJobsOf } from "./jobs-of.ts";

/**
 * Makes a queue of jobs on your database. A job that is stored runs until it is done, or is dead after
 * its last attempt: after a crash, another worker runs it again.
 * @throws DeclarationError for declarations that cannot work, with all faults in all of them.
 */
export const createJobs = (options: JobsOptions): Jobs => {
  const { ports, jobs = [], schedules = [] } = options;
  refuseFaults([
    // The inbox has checked the handlers of which it made the others.
    ...faultsOfJobs(jobs.filter((job) => !("runOn" in Object(job))) as readonly JobHandler[]),
    ...faultsOfSchedules(schedules, ports),
    ...repeated("handler", [...jobs, ...schedules]),
  ]);
  return createJobsOf(options);
};
