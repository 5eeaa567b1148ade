import { createIndex, type Migration } from "./migration.ts";

/**
 * Finds the few cancelled jobs among all that have ended, for lists of events by state; elsewhere
 * the index over all states does.
 */
export const indexCancelledJobs: Migration = {
  name: "0009-index-cancelled-jobs",
  part: "always",
  up: ({ server }) =>
    server === "sqlite" ? [createIndex("job", { name: "cancelled", columns: "id", where: "state = 6" })] : [],
  down: ({ server }) => (server === "sqlite" ? ["DROP INDEX IF EXISTS `job_cancelled`"] : []),
};
