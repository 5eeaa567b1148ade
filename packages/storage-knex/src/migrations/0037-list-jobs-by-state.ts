import { addKey, type Migration, onlyOnMysql } from "./migration.ts";

/**
 * On MySQL and MariaDB, an index of the jobs of each state in the order of their ids, for lists.
 * SQLite has partial indexes for the states in which jobs end.
 */
export const listJobsByState: Migration = {
  name: "0037-list-jobs-by-state",
  part: "always",
  ...onlyOnMysql({
    up: [addKey("job", "listed", "state, id")],
    down: ["ALTER TABLE `job` DROP KEY `listed`"],
  }),
};
