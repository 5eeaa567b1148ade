import { addColumn, type Migration } from "./migration.ts";

/**
 * The cause of each failure, and the event that its job is about. One index counts the failures of
 * each cause, and has the events of a cause in the order of lists. Older failures have no cause.
 */
export const addFailureCauses: Migration = {
  name: "0045-add-failure-causes",
  part: "always",
  up: (types) => [
    ...addColumn(types, "job_failure", { name: "event_ref", type: `${types.bigint} NULL` }),
    ...addColumn(types, "job_failure", { name: "cause", type: `${types.ascii(16)} NULL` }, [
      { name: "by_cause", columns: "cause, event_ref, at", where: "cause IS NOT NULL" },
    ]),
  ],
  down: ({ hasPartialIndexes }) => [
    hasPartialIndexes ? "DROP INDEX IF EXISTS `job_failure_by_cause`" : "ALTER TABLE `job_failure` DROP KEY `by_cause`",
    "ALTER TABLE `job_failure` DROP COLUMN `cause`",
    "ALTER TABLE `job_failure` DROP COLUMN `event_ref`",
  ],
};
