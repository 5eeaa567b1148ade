import { addColumn, type Migration } from "./migration.ts";

/** The attempt whose handler failed after it had committed. Such a job is done, and kept as dead ones are. */
export const keepFailuresAfterCommits: Migration = {
  name: "0059-keep-failures-after-commits",
  part: "always",
  up: (types) => addColumn(types, "job", { name: "after_commit", type: `${types.integer} NULL` }),
  down: () => ["ALTER TABLE `job` DROP COLUMN `after_commit`"],
};
