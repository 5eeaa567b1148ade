/**
 * `@postern/jobs`: a queue of jobs on your own database. Jobs are kept until they have run, with retries,
 * schedules, order keys, limits of queues, and effects that are committed together with the end of the job.
 */

export { createJobs } from "./create-jobs.ts";
export { AlreadyCommitted, type HandlerContext, LeaseLost, Permanent, RetryAt, Snooze } from "./handler-context.ts";
export type { EventRunnable, JobSettings } from "./job-handler.ts";
export { defineJob, type JobHandler, type JobOptions, newJob } from "./job-handler.ts";
export { createJobRunner, type JobRunner, type JobRunnerOptions } from "./job-runner.ts";
export type { Jobs, JobsOptions } from "./jobs.ts";
export { defaultRetryPolicy, type RetryPolicy } from "./retry-policy.ts";
export type { ScheduleOptions, Slot } from "./schedule.ts";
export { type Schedule, schedule } from "./schedule.ts";
export type { QueueLimits, Worker, WorkerOptions } from "./worker.ts";
