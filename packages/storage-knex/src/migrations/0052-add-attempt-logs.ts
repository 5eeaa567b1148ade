import { addColumn, type Migration } from "./migration.ts";

/** What the handler logged in an attempt that failed, as a JSON list. Older failures have none. */
export const addAttemptLogs: Migration = {
  name: "0052-add-attempt-logs",
  part: "always",
  up: (types) => addColumn(types, "job_failure", { name: "log", type: `${types.longText} NULL` }),
  down: () => ["ALTER TABLE `job_failure` DROP COLUMN `log`"],
};
