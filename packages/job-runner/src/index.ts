export { createJobRunner, type JobRunner, type JobRunnerOptions } from "./job-runner.ts";
export { nodeCronPlan } from "./node-cron-plan.ts";
