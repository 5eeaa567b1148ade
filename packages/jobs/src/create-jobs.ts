import type { Jobs, JobsOptions } from "./jobs.ts";
import { createJobsOf } from "./jobs-of.ts";

/**
 * Makes a queue of jobs on your database. A job that is stored runs until it is done, or is dead after
 * its last attempt: after a crash, another worker runs it again.
 * @throws DeclarationError for declarations that cannot work, with all faults in all of them.
 */
export const createJobs = (options: JobsOptions): Jobs => createJobsOf(options);
