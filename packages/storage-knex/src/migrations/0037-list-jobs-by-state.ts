import type { Migration } from "./migration.ts";

/**
 * On MySQL and MariaDB, an index of the jobs of each state in the order of their ids, for lists.
 * SQLite has partial indexes for the states in which jobs end.
 */
export const listJobsByState: Migration = {
  name: "0037-list-jobs-by-state",
  part: "always",
  up: ({ server }) =>
    server === "sqlite"
      ? []
      : [{ sql: "ALTER TABLE `job` ADD KEY `listed` (state, id)", table: "job", newIndex: "listed" }],
  down: ({ server }) => (server === "sqlite" ? [] : ["ALTER TABLE `job` DROP KEY `listed`"]),
};
