import { type ColumnTypes, createTable, type Index, type Step } from "./migration.ts";

/**
 * The indexes of jobs, of which MySQL has other ones: no index there holds some rows only, so one index
 * serves all states.
 */
const jobIndexes = ({ hasPartialIndexes }: ColumnTypes): readonly Index[] =>
  hasPartialIndexes
    ? [
        { name: "by_event", columns: "event_ref", where: "event_ref IS NOT NULL" },
        { name: "ready", columns: "queue, suspect, priority, ready_order, id, kind", where: "state = 0" },
        { name: "scheduled", columns: "due_at", where: "state = 1" },
        { name: "yielded", columns: "order_key", where: "state = 1 AND order_key IS NOT NULL" },
        { name: "running", columns: "runner", where: "state = 2" },
        { name: "in_line", columns: "order_key, place", where: "state = 3" },
        { name: "unique_key", columns: "unique_key", where: "unique_key IS NOT NULL", unique: true },
        { name: "dead", columns: "id", where: "state = 5" },
        { name: "cancelled", columns: "id", where: "state = 6" },
        { name: "ended", columns: "finished_at", where: "state >= 4" },
      ]
    : [
        { name: "by_event", columns: "event_ref" },
        { name: "by_state", columns: "state, queue, suspect, priority, ready_order, id, kind" },
        { name: "scheduled", columns: "due_at" },
        { name: "running", columns: "runner" },
        { name: "in_line", columns: "order_key, place" },
        { name: "ended", columns: "finished_at" },
        { name: "unique_key", columns: "unique_key", unique: true },
        // Lists of a state. With the events, those of many jobs are found without reading the jobs.
        { name: "with_events", columns: "state, id, event_ref" },
      ];

/** Tables whose rows change all the time. */
const hotTables = ["job", "lane", "runner"];

/**
 * On PostgreSQL, clears old versions of a table's rows soon. By default it waits until a fifth of a
 * table is old, ended jobs included, and claims pass over old versions meanwhile. Room in the pages
 * (`fillfactor`) would not help: every change of a job changes its state, which indexes use.
 */
export const vacuumSooner = ({ server }: ColumnTypes, tables: readonly string[]): readonly string[] =>
  server === "postgres"
    ? tables.map(
        (table) =>
          `ALTER TABLE \`${table}\` SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)`,
      )
    : [];

/**
 * Jobs and runners. There are no foreign keys, because InnoDB would lock the event's row for every
 * job.
 *
 * `job.state` is a number of core's `jobStates`; `runner.state` is 0 for live and 1 for dead. MySQL
 * has no partial indexes. Some columns are NULL there unless they matter, and serve the same end.
 *
 * The ids of jobs do not say their order, because each process takes ids from a block of its own:
 *
 * - `job.ready_order`: when the job became ready, in microseconds. Claims follow this order.
 * - `job.ready_at`: the same as a time, if the job was not ready when it was stored. It distinguishes
 *   a job that has waited for long from one that has just come due.
 * - `job.place` and `lane.last_place`: the place in the line of an order key, counted in the lane's
 *   row.
 */
export const jobTables = (types: ColumnTypes): readonly Step[] => {
  const { text, ascii, longText, key, bigint, integer, boolean, serial } = types;
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
        `ready_at ${bigint} NULL`,
        `ready_order ${bigint} NULL`,
        `attempt ${integer} NOT NULL`,
        `max_attempts ${integer} NOT NULL`,
        `losses ${integer} NOT NULL`,
        `runner ${bigint} NULL`,
        `lease ${bigint} NULL`,
        `suspect ${integer} NOT NULL`,
        `cancel_at ${bigint} NULL`,
        `order_key ${key(191)} NULL`,
        `place ${bigint} NULL`,
        // A sum: 1 if the job lets others of its order key pass while it waits for a retry, plus 2 if it
        // holds the key when it is dead.
        `order_rules ${integer} NOT NULL DEFAULT 0`,
        `unique_key ${key(191)} NULL`,
        // The unique key of a job that has ended, for the job that replaces it.
        `unique_name ${key(191)} NULL`,
        `last_error ${longText} NULL`,
        `replay_of ${bigint} NULL`,
        `replaced_by ${bigint} NULL`,
        `created_at ${bigint} NOT NULL`,
        `started_at ${bigint} NULL`,
        // Set while the work of a job is committed and its handler still runs.
        `committed_at ${bigint} NULL`,
        `finished_at ${bigint} NULL`,
        // The attempt whose handler failed after it had committed. Such a job is done, and kept as dead
        // ones are.
        `after_commit ${integer} NULL`,
      ],
      jobIndexes(types),
    ),
    // `log` is what the handler logged in the attempt, as a JSON list. One index counts the failures of
    // each cause, and has the events of a cause in the order of lists.
    ...createTable(
      types,
      "job_failure",
      [
        `id ${serial}`,
        `job_id ${bigint} NOT NULL`,
        `event_ref ${bigint} NULL`,
        `attempt ${integer} NOT NULL`,
        `at ${bigint} NOT NULL`,
        `error ${longText} NOT NULL`,
        `cause ${ascii(16)} NULL`,
        `log ${longText} NULL`,
      ],
      [
        { name: "by_job", columns: "job_id" },
        { name: "by_cause", columns: "cause, event_ref, at", where: "cause IS NOT NULL" },
      ],
    ),
    // The job of each order key that has the turn; 0 if none has it and a job of the key waits for its
    // time. A key without jobs has no row.
    ...createTable(types, "lane", [
      `order_key ${key(191)} NOT NULL PRIMARY KEY`,
      `head_job ${bigint} NOT NULL`,
      `last_place ${bigint} NOT NULL DEFAULT 0`,
    ]),
    ...createTable(types, "schedule_slot", [
      `name ${ascii(128)} NOT NULL`,
      `slot ${bigint} NOT NULL`,
      "PRIMARY KEY (name, slot)",
    ]),
    // Which schedules are paused, the newest job of each, and when each was first looked at: from then on,
    // its times count as missed if nothing ran.
    ...createTable(types, "schedule_state", [
      `name ${ascii(128)} NOT NULL PRIMARY KEY`,
      `last_job ${bigint} NULL`,
      `paused_at ${bigint} NULL`,
      `note ${longText} NULL`,
      `resumed_at ${bigint} NULL`,
      `seen_at ${bigint} NULL`,
    ]),
    ...createTable(types, "paused_queue", [
      `queue ${ascii(64)} NOT NULL PRIMARY KEY`,
      `note ${longText} NULL`,
      `paused_at ${bigint} NOT NULL`,
    ]),
    // A row for each queue that has a limit over all runners. A claim locks this row while it counts the
    // running jobs of the queue.
    ...createTable(types, "queue_limit", [`queue ${ascii(64)} NOT NULL PRIMARY KEY`]),
    // `kinds` is a JSON list, `limits` is JSON: how many jobs run at once, and the limits of queues.
    // `stopping` is 1 when the runner was told to stop, `idle` when it has nothing to do: it beats rarely then.
    ...createTable(
      types,
      "runner",
      [
        `id ${bigint} NOT NULL PRIMARY KEY`,
        `name ${text(255)} NOT NULL`,
        `kinds ${longText} NULL`,
        `limits ${longText} NULL`,
        `beat ${bigint} NOT NULL`,
        `beat_at ${bigint} NOT NULL`,
        `state ${integer} NOT NULL`,
        `stopping ${integer} NOT NULL DEFAULT 0`,
        `idle ${boolean} NOT NULL DEFAULT 0`,
        `started_at ${bigint} NOT NULL`,
      ],
      [{ name: "by_state", columns: "state, id" }],
    ),
    ...createTable(types, "id_block", [`name ${ascii(64)} NOT NULL PRIMARY KEY`, `next ${bigint} NOT NULL`]),
    ...["event", "feed", "job", "lease", "runner"].map(
      (name) =>
        `INSERT INTO id_block (name, next) SELECT '${name}', 1 FROM (SELECT 1 AS one) AS missing ` +
        `WHERE NOT EXISTS (SELECT 1 FROM id_block AS known WHERE known.name = '${name}')`,
    ),
    ...vacuumSooner(types, hotTables),
  ];
};
