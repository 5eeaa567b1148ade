import { addKey, dropKey, type Migration, onlyOnMysql } from "./migration.ts";

/**
 * On MySQL and MariaDB, the index that lists the jobs of a state also has their events. So the events
 * of many jobs are found without reading the jobs (docs/performance/storage.md).
 */
export const listJobsWithEvents: Migration = {
  name: "0039-list-jobs-with-events",
  part: "always",
  ...onlyOnMysql({
    up: [addKey("job", "with_events", "state, id, event_ref"), dropKey("job", "listed")],
    down: ["ALTER TABLE `job` ADD KEY `listed` (state, id), DROP KEY `with_events`"],
  }),
};
