export type MetricKind = "counter" | "gauge" | "histogram";

/** A metric that exists from the start. docs/metrics.md says more about each. */
export interface MetricDeclaration {
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
  /** A gauge for which 0 would be a wrong value. It has none until it is set. */
  readonly isUnknownAtFirst?: boolean;
}

const declaring =
  (kind: MetricKind) =>
  (help: string, ...labels: readonly string[]): MetricDeclaration => ({ kind, help, labels });

const counter = declaring("counter");
const gauge = declaring("gauge");
const histogram = declaring("histogram");

/**
 * Every metric of Postern, by its name. Names, labels and bounds of histograms are a contract:
 * people build dashboards and alarms on them.
 */
export const metricsCatalogue: Readonly<Record<string, MetricDeclaration>> = {
  webhooks_received: counter("Deliveries with a valid signature, by what became of them.", "provider", "result"),
  webhooks_refused: counter("Deliveries that were refused, by reason.", "provider", "reason"),
  webhooks_signed_again: counter("Deliveries whose signed bytes came before under another id.", "provider"),
  webhooks_answered: counter("Deliveries answered 200."),
  inbox_commit_ms: histogram("How long a flush of events to the disk takes."),
  inbox_batch_events: histogram("Events that shared a commit."),
  jobs_in_state: gauge("Jobs in each state, over all nodes.", "state"),
  jobs_waiting: gauge("Jobs ready to run.", "queue"),
  jobs_oldest_waiting_seconds: gauge("How long the oldest ready job has been waiting.", "queue"),
  queue_paused: gauge("1 while the queue is paused.", "queue"),
  runners_alive: gauge("Processes that run jobs."),
  job_pickup_ms: histogram("The time from storing a job to starting it.", "queue"),
  job_run_ms: histogram("How long handlers run."),
  jobs_ended: counter("Ended attempts, by their result.", "to"),
  jobs_lease_lost: counter("Results that arrived after their job was given to another runner."),
  jobs_commits_fenced: counter(
    "Commits that were refused because their runner had lost the job or had committed before.",
  ),
  jobs_end_unwritten: counter("Jobs whose end could not be written even at the last try; they run again."),
  jobs_without_handler: gauge("Ready jobs of a kind that no living runner has a handler for."),
  runners_recovered: counter("Runners that died."),
  jobs_lost_runner: counter("Jobs that were taken back from runners that died."),
  turns_repaired: counter("Order keys for which no job had the turn."),
  forwards: counter("Attempts to forward an event, by answer or error.", "handler", "status"),
  forward_ms: histogram("How long targets of forwarding take to answer.", "handler"),
  schedules_fired: counter("Times of a schedule that this node won.", "schedule"),
  plan_events: counter("Events that plans ran again, discarded or left as they are.", "action", "outcome"),
  pruned: counter("Rows that retention deleted.", "what"),
  retention_due_rows: gauge("Rows that retention has still to delete, counted up to 10,000.", "what"),
  retention_due_seconds: gauge("For how long the oldest row that retention has still to delete has been due.", "what"),
  http_request_ms: histogram("How long requests take.", "method", "route", "status"),
  http_connections_refused_total: counter(
    "Connections that were closed at once, because their address has wasted too many.",
    "reason",
  ),
  http_requests_refused_total: counter("Requests that were answered 503 before any work.", "requests", "reason"),
  http_readers_cut_total: counter("Connections that were cut because the caller did not read the answer.", "reason"),
  event_loop_delay_ms: gauge("How late the event loop is, smoothed over half a second."),
  event_loop_longest_turn_ms: gauge("The longest turn of the event loop in the last minute."),
  audit_findings: gauge("Places where the audit log was changed, among the entries that were compared so far."),
  database_wal_bytes: gauge("SQLite: size of the write-ahead log."),
  // No free space would be an alarm. On a database server nobody knows it.
  database_free_bytes: { ...gauge("SQLite: free space on the disk of the database."), isUnknownAtFirst: true },
  event_key_log_keys: gauge("SQLite: keys of events that are not merged into the sorted table yet."),
  event_key_log_memory_bytes: gauge("SQLite: memory that the index of those keys takes."),
  event_key_merge_ms: histogram("SQLite: for how long all steps of one merge of event keys together held the writer."),
  database_setbacks: counter("How often the database may have gone back in time, by a failover or a restore."),
  database_repeats: counter("Database servers: transactions that were run again.", "reason"),
  api_deprecated_requests_total: counter(
    "Requests that asked for something deprecated, or whose answer contained it.",
    "deprecation",
    "kind",
  ),
  api_conversions_failed_total: counter(
    "Answers that could not be converted to an older version.",
    "version",
    "operation",
  ),
  rate_limit_faults_total: counter("Rate limits that could not be checked.", "policy"),
  database_clock_skew_ms: gauge("MySQL and MariaDB: how far the clock of the database server is ahead."),
};
