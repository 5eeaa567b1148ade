import { type Addition, addColumn, createIndex, type Migration } from "./migration.ts";

/**
 * From this step on, the ids of jobs do not say their order, because each process takes ids from a
 * block of its own.
 *
 * - `job.ready_order`: when the job became ready, in microseconds. Claims follow this order.
 * - `job.place` and `lane.last_place`: the place in the line of an order key, counted in the lane's
 *   row.
 * - `job.unique_name`: the unique key of a job that has ended, for the job that replaces it.
 * - `job.committed_at`: set while the work of a job is committed and its handler still runs.
 * - `runner.kinds` (a JSON list) and `runner.stopping` (1 when the runner was told to stop).
 *
 * `lane.head_job` is 0 if no job has the turn and a job of the key waits for its time.
 */
export const orderJobsAcrossProcesses: Migration = {
  name: "0016-order-jobs-across-processes",
  part: "always",
  up: (types) => {
    const { hasPartialIndexes, bigint, integer, longText, key } = types;
    const add = (table: string, name: string, type: string): readonly (string | Addition)[] =>
      addColumn(types, table, { name, type });
    return [
      ...add("job", "ready_order", `${bigint} NULL`),
      ...add("job", "place", `${bigint} NULL`),
      ...add("job", "unique_name", `${key(191)} NULL`),
      ...add("job", "committed_at", `${bigint} NULL`),
      ...add("lane", "last_place", `${bigint} NOT NULL DEFAULT 0`),
      ...add("runner", "kinds", `${longText} NULL`),
      ...add("runner", "stopping", `${integer} NOT NULL DEFAULT 0`),
      "UPDATE job SET ready_order = COALESCE(ready_at, created_at) * 1000 WHERE state = 0 AND ready_order IS NULL",
      "UPDATE job SET place = id WHERE order_key IS NOT NULL AND state IN (0, 1, 2, 3, 5) AND place IS NULL",
      "UPDATE job SET unique_name = unique_key WHERE unique_key IS NOT NULL",
      "UPDATE lane SET last_place = (SELECT next FROM id_block WHERE name = 'job') WHERE last_place = 0",
      ...(hasPartialIndexes
        ? [
            "DROP INDEX IF EXISTS job_ready",
            createIndex("job", {
              name: "ready",
              columns: "queue, suspect, priority, ready_order, id, kind",
              where: "state = 0",
            }),
            "DROP INDEX IF EXISTS job_in_line",
            createIndex("job", { name: "in_line", columns: "order_key, place", where: "state = 3" }),
            createIndex("job", {
              name: "yielded",
              columns: "order_key",
              where: "state = 1 AND order_key IS NOT NULL",
            }),
          ]
        : [
            "ALTER TABLE job DROP KEY by_state, ADD KEY by_state (state, queue, suspect, priority, ready_order, id, kind)",
            "ALTER TABLE job DROP KEY in_line, ADD KEY in_line (order_key, place)",
          ]),
    ];
  },
  down: ({ hasPartialIndexes }) => [
    ...(hasPartialIndexes
      ? [
          "DROP INDEX IF EXISTS job_yielded",
          "DROP INDEX IF EXISTS job_in_line",
          createIndex("job", { name: "in_line", columns: "order_key, id", where: "state = 3" }),
          "DROP INDEX IF EXISTS job_ready",
          createIndex("job", { name: "ready", columns: "queue, suspect, priority, id", where: "state = 0" }),
        ]
      : [
          "ALTER TABLE job DROP KEY in_line, ADD KEY in_line (order_key, id)",
          "ALTER TABLE job DROP KEY by_state, ADD KEY by_state (state, queue, suspect, priority, id)",
        ]),
    "ALTER TABLE `runner` DROP COLUMN `stopping`",
    "ALTER TABLE `runner` DROP COLUMN `kinds`",
    "DELETE FROM lane WHERE head_job = 0",
    "ALTER TABLE `lane` DROP COLUMN `last_place`",
    "ALTER TABLE `job` DROP COLUMN `committed_at`",
    "ALTER TABLE `job` DROP COLUMN `unique_name`",
    "ALTER TABLE `job` DROP COLUMN `place`",
    "ALTER TABLE `job` DROP COLUMN `ready_order`",
  ],
};
