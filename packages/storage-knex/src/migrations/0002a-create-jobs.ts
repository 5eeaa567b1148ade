import { createTable, type Migration } from "./migration.ts";

/**
 * Jobs and runners. Times are milliseconds since the epoch. There are no foreign keys, because
 * InnoDB would lock the event's row for every job.
 *
 * `job.state` is a number of core's `jobStates`; `runner.state` is 0 for live and 1 for dead. MySQL
 * has no partial indexes. Some columns are NULL there unless they matter, and serve the same end.
 */
export const createJobs: Migration = {
  name: "0002a-create-jobs",
  formerly: "0002-create-inbox",
  part: "always",
  tables: ["job", "job_failure", "lane", "schedule_slot", "paused_queue", "runner", "id_block"],
  up: (types) => {
    const { hasPartialIndexes, text, ascii, longText, key, bigint, integer, serial } = types;
    return [
      ...createTable(
        types,
        "job",
        [
          `id ${bigint} NOT NULL PRIMARY KEY`,
          `event_ref ${bigint} NULL`,
          `queue ${ascii(64)} NOT NULL`,
          `kind ${ascii(128)} NOT NULL`,
          `payload ${longText} NULL`,
          `priority ${integer} NOT NULL`,
          `state ${integer} NOT NULL`,
          `due_at ${bigint} NULL`,
          `attempt ${integer} NOT NULL`,
          `max_attempts ${integer} NOT NULL`,
          `losses ${integer} NOT NULL`,
          `runner ${bigint} NULL`,
          `lease ${bigint} NULL`,
          `suspect ${integer} NOT NULL`,
          `cancel_at ${bigint} NULL`,
          `order_key ${key(191)} NULL`,
          `unique_key ${key(191)} NULL`,
          `last_error ${longText} NULL`,
          `replay_of ${bigint} NULL`,
          `replaced_by ${bigint} NULL`,
          `created_at ${bigint} NOT NULL`,
          `started_at ${bigint} NULL`,
          `finished_at ${bigint} NULL`,
        ],
        hasPartialIndexes
          ? [
              { name: "by_event", columns: "event_ref", where: "event_ref IS NOT NULL" },
              { name: "ready", columns: "queue, suspect, priority, id", where: "state = 0" },
              { name: "scheduled", columns: "due_at", where: "state = 1" },
              { name: "running", columns: "runner", where: "state = 2" },
              { name: "in_line", columns: "order_key, id", where: "state = 3" },
              { name: "unique_key", columns: "unique_key", where: "unique_key IS NOT NULL", unique: true },
              { name: "dead", columns: "id", where: "state = 5" },
              { name: "ended", columns: "finished_at", where: "state >= 4" },
            ]
          : [
              { name: "by_event", columns: "event_ref" },
              { name: "by_state", columns: "state, queue, suspect, priority, id" },
              { name: "scheduled", columns: "due_at" },
              { name: "running", columns: "runner" },
              { name: "in_line", columns: "order_key, id" },
              { name: "ended", columns: "finished_at" },
              { name: "unique_key", columns: "unique_key", unique: true },
            ],
      ),
      ...createTable(
        types,
        "job_failure",
        [
          `id ${serial}`,
          `job_id ${bigint} NOT NULL`,
          `attempt ${integer} NOT NULL`,
          `at ${bigint} NOT NULL`,
          `error ${longText} NOT NULL`,
        ],
        [{ name: "by_job", columns: "job_id" }],
      ),
      // The job of each order key that has the turn. A key without jobs has no row.
      ...createTable(types, "lane", [`order_key ${key(191)} NOT NULL PRIMARY KEY`, `head_job ${bigint} NOT NULL`]),
      ...createTable(types, "schedule_slot", [
        `name ${ascii(128)} NOT NULL`,
        `slot ${bigint} NOT NULL`,
        "PRIMARY KEY (name, slot)",
      ]),
      ...createTable(types, "paused_queue", [
        `queue ${ascii(64)} NOT NULL PRIMARY KEY`,
        `note ${longText} NULL`,
        `paused_at ${bigint} NOT NULL`,
      ]),
      ...createTable(
        types,
        "runner",
        [
          `id ${bigint} NOT NULL PRIMARY KEY`,
          `name ${text(255)} NOT NULL`,
          `beat ${bigint} NOT NULL`,
          `beat_at ${bigint} NOT NULL`,
          `state ${integer} NOT NULL`,
          `started_at ${bigint} NOT NULL`,
        ],
        [{ name: "by_state", columns: "state, id" }],
      ),
      ...createTable(types, "id_block", [`name ${ascii(64)} NOT NULL PRIMARY KEY`, `next ${bigint} NOT NULL`]),
      ...["event", "job", "lease", "runner"].map(
        (name) =>
          `INSERT INTO id_block (name, next) SELECT '${name}', 1 FROM (SELECT 1 AS one) AS missing ` +
          `WHERE NOT EXISTS (SELECT 1 FROM id_block AS known WHERE known.name = '${name}')`,
      ),
    ];
  },
  down: () =>
    ["id_block", "runner", "paused_queue", "schedule_slot", "lane", "job_failure", "job"].map(
      (table) => `DROP TABLE IF EXISTS ${table}`,
    ),
};
