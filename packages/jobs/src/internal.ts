/** For the packages of Postern alone. It changes with any version. */

export { OnlyRead } from "./commit.ts";
export { cronWords } from "./cron-words.ts";
export { createDatabaseClock } from "./database-clock.ts";
export { faultsOfJobs, faultsOfSchedules, repeated } from "./declaration-faults.ts";
export { groupCommit } from "./group-commit.ts";
export { jobFaults, jobOf, jobOptionRules, jobSettings, ownPrefix, placeOfHandler } from "./job-handler.ts";
export { createJobsOf } from "./jobs-of.ts";
export { kindsWithoutHandler } from "./kinds-without-handler.ts";
export { createLocalHandoff, type LocalHandoff } from "./local-handoff.ts";
export { suspectAfter } from "./losses.ts";
export { createRead } from "./read.ts";
export { RunContext, RunStop, stoppable } from "./run-context.ts";
export { createRunMails } from "./run-mails.ts";
export { transactionsOfRun } from "./run-transactions.ts";
export { createScheduler, jobAt, scheduleFaults } from "./schedule.ts";
export { describeThrown } from "./thrown-value.ts";
export { notingUse, onlyRead, type UsedMembers } from "./used-members.ts";
export { checkWorkerOptions } from "./worker-options.ts";
