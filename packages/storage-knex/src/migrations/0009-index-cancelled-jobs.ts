import { createIndex, type Migration } from "./migration.ts";

/**
 * On SQLite, an index of the cancelled jobs, for lists of events by state. They are few among all
 * jobs that have ended. On MySQL and MariaDB the index over all states serves such lists.
 */
export const indexCancelledJobs: Migration = {
  name: "0009-index-cancelled-jobs",
  part: "always",
  up: ({ hasPartialIndexes }) =>
    hasPartialIndexes ? [createIndex("job", { name: "cancelled", columns: "id", where: "state = 6" })] : [],
  down: ({ hasPartialIndexes }) => (hasPartialIndexes ? ["DROP INDEX IF EXISTS `job_cancelled`"] : []),
};
