import type { Migration } from "./migration.ts";

/**
 * On MySQL and MariaDB, the index that lists the jobs of a state also has their events. So the events
 * of many jobs are found without reading the jobs (ADR 43).
 */
export const listJobsWithEvents: Migration = {
  name: "0039-list-jobs-with-events",
  part: "always",
  up: ({ server }) =>
    server === "sqlite"
      ? []
      : [
          {
            sql: "ALTER TABLE `job` ADD KEY `with_events` (state, id, event_ref)",
            table: "job",
            newIndex: "with_events",
          },
          { sql: "ALTER TABLE `job` DROP KEY `listed`", table: "job", index: "listed" },
        ],
  down: ({ server }) =>
    server === "sqlite" ? [] : ["ALTER TABLE `job` ADD KEY `listed` (state, id), DROP KEY `with_events`"],
};
