import { addColumn, type Migration } from "./migration.ts";

/**
 * `job.ready_at` is the time when a job became ready, if it was not ready when it was stored. It
 * distinguishes a job that has waited for long from one that has just come due.
 */
export const addReadyAt: Migration = {
  name: "0013-add-ready-at",
  part: "always",
  up: (types) => addColumn(types, "job", { name: "ready_at", type: `${types.bigint} NULL` }),
  down: () => ["ALTER TABLE `job` DROP COLUMN `ready_at`"],
};
