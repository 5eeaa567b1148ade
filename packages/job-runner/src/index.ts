export { createJobRunner, type JobRunner, type JobRunnerOptions } from "./job-runner.ts";
