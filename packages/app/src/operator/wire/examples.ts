/*
 * Whole answers of the admin API, as the documentation shows them. Together they tell one story: an
 * invoice was paid, its mail could not be sent at first, and the second attempt worked.
 */

/** A job that needed two attempts. */
export const exampleJob = {
  id: "4107",
  event_id: "2051",
  provider: "stripe",
  handler: "stripe:invoice.*",
  queue: "default",
  priority: 0,
  order_key: "cus_9s6XKzkNRiz8i3",
  holds_order_key: false,
  state: "done",
  attempt: 2,
  max_attempts: 11,
  losses: 0,
  due_at: "2026-11-21T08:30:04.310Z",
  cancel_at: null,
  last_error: "Error: the mail server answered 451",
  replay_of: null,
  created_at: "2026-11-21T08:30:00.120Z",
  started_at: "2026-11-21T08:30:04.312Z",
  finished_at: "2026-11-21T08:30:04.790Z",
  actions: [],
} as const;

export const exampleFailure = {
  attempt: 1,
  at: "2026-11-21T08:30:00.391Z",
  error: "Error: the mail server answered 451",
  after_commit: false,
  log: [
    {
      at: "2026-11-21T08:30:00.377Z",
      level: "info",
      message: "sending the receipt",
      fields: { invoice: "in_1PqfT2Lkdi8s2Xo0" },
    },
  ],
} as const;

/** The cause of that failure, which other jobs have in common with it. */
export const exampleCause = {
  id: "hT3kQv90ZrLm",
  handler: exampleJob.handler,
  error: "Error",
  message: "the mail server answered #",
  frames: ["sendMail (mail.ts)"],
  failures: 11_640,
  share: 0.97,
  first_at: "2026-11-21T08:14:07.002Z",
  last_at: "2026-11-21T08:30:00.391Z",
  example: {
    event_id: exampleJob.event_id,
    job_id: exampleJob.id,
    at: exampleFailure.at,
    error: `${exampleFailure.error}\n    at sendMail (file:///srv/app/mail.ts:31:11)`,
  },
} as const;

/** The event that the job is about. */
export const exampleEvent = {
  id: "2051",
  provider: "stripe",
  event_id: "evt_1PqfT2Lkdi8s2Xo0",
  type: "invoice.paid",
  state: "processed",
  reason: null,
  occurred_at: "2026-11-21T08:29:58.000Z",
  received_at: "2026-11-21T08:30:00.120Z",
  repeats: 1,
  body_kept: true,
  actions: ["admin.events.replay"],
} as const;

/** A search that has found the event and has not come to the end. */
export const exampleSearch = {
  events: [exampleEvent],
  looked_at: 10_000,
  without_body: 12,
  back_to: "2026-11-19T17:02:41.875Z",
  complete: false,
  next: "1893",
} as const;

/** What somebody has noted about the event. */
export const exampleNote = {
  id: "019a5e44-6b1f-7d02-9c3e-8a7b6c5d4e3f",
  at: "2026-11-21T09:12:33.804Z",
  author: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
  text: "The mail server was down; told the customer.",
} as const;

/** How an event of the same type differs from it. */
export const exampleDifference = {
  event_id: "2077",
  against: { event_id: exampleEvent.id, received_at: exampleEvent.received_at },
  complete: true,
  changes: [
    { path: "/data/object/customer", kind: "changed", before: '"cus_9s6XKzkNRiz8i3"', after: "null" },
    { path: "/data/object/parent", kind: "added", before: null, after: '{"type":"order"}' },
  ],
} as const;

const invoice = { id: "in_1PqfSzLkdi8s2Xo0", customer: "cus_9s6XKzkNRiz8i3", amount_paid: 4900 };
const rest = { id: exampleEvent.event_id, type: exampleEvent.type, created: 1_795_249_798 };

/** The same with everything that Postern knows about it. */
export const exampleEventInFull = {
  ...exampleEvent,
  repeat: { by: "id", window_seconds: null, key: exampleEvent.event_id },
  headers: { "content-type": "application/json; charset=utf-8", "user-agent": "Stripe/1.0" },
  query: null,
  left_out: [],
  covered: ["body", "timestamp"],
  overruled: null,
  metadata: {
    delivery_id: exampleEvent.event_id,
    attempt: null,
    sent_at: "2026-11-21T08:29:59.000Z",
    api_version: "2026-10-29",
    rest,
  },
  data: invoice,
  payload: { ...rest, data: { object: invoice } },
  body_base64: "eyJpZCI6ImV2dF8xUHFmVDJMa2RpOHMyWG8wIn0=",
  masked: false,
  forwards: [],
  jobs: [exampleJob],
  notes: [exampleNote],
} as const;

/** A plan that runs what failed with that cause again, half-way. */
export const examplePlan = {
  id: "019a5e41-0d2c-7b31-9a4e-5f6c7d8e9fa0",
  action: "replay",
  state: "running",
  filter: {
    state: "dead",
    provider: null,
    type: null,
    cause: exampleCause.id,
    received_since: null,
    received_before: "2026-11-21T09:02:11.001Z",
    text: null,
  },
  jobs: null,
  reason: null,
  made_by: { id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a", name: "Grace Hopper" },
  force: false,
  per_second: 20,
  created_at: "2026-11-21T09:02:11.000Z",
  started_at: "2026-11-21T09:02:40.517Z",
  ended_at: null,
  dry_run: {
    looked_at: 10_000,
    complete: false,
    matched: 10_000,
    done: 9_988,
    handlers: [{ handler: exampleJob.handler, jobs: 9_988 }],
    order_key_waits: 4_211,
    skipped: [{ reason: "its body is kept no longer", events: 12 }],
  },
  report: {
    looked_at: 6_160,
    done: 6_150,
    jobs: 6_150,
    failed: 0,
    skipped: [{ reason: "its body is kept no longer", events: 10 }],
  },
} as const;

/** A queue that waits for somebody to mend the mail server. */
export const exampleQueue = {
  name: "mail",
  paused: true,
  note: "The mail server is being moved.",
  ready: 12,
  oldest_ready_at: "2026-11-21T08:30:00.120Z",
  running: 2,
  ended_last_minute: 31,
  at_once: 4,
  per_second: 10,
  workers: 2,
} as const;

/** A schedule that runs in the night. */
export const exampleSchedule = {
  name: "report",
  cron: "0 3 * * *",
  time_zone: "Europe/Berlin",
  words: "every day at 03:00 (Europe/Berlin)",
  missed: "last",
  queue: "default",
  paused: false,
  paused_at: null,
  note: null,
  next_times: ["2026-11-22T02:00:00.000Z", "2026-11-23T02:00:00.000Z", "2026-11-24T02:00:00.000Z"],
  last_at: "2026-11-21T02:00:00.000Z",
  last_job: {
    id: "4711",
    state: "done",
    started_at: "2026-11-21T02:00:00.212Z",
    finished_at: "2026-11-21T02:00:04.318Z",
  },
} as const;

/** A bound that the environment sets. */
export const exampleSetting = {
  name: "POSTERN_JOBS",
  value: 20,
  secret: false,
  origin: "environment",
  variable: "POSTERN_JOBS",
} as const;

/** A delivery of the same sender, signed with another key. */
export const exampleRefusalTrace = {
  scheme: "stripe",
  valid: false,
  code: "signature_mismatch",
  message: "No signature is right: another endpoint's key, or a body that was parsed.",
  hint: "The key is right: the signature fits the body as JSON without spaces, so a proxy or a parser changed the request. Pass on what arrived, unchanged.",
  headers: [{ name: "stripe-signature", length: 142, value: null }],
  signatures: 1,
  covered: ["timestamp", "body", "id", "type"],
  content: "{timestamp}.{body}",
  signed: { bytes: 1_493, sha256: "9f2c54c7d3a8e1b06f7a92de4c1b8a35f06d7e2c9b41a0835d6ef7a1c2b3d4e1" },
  body: { bytes: 1_482, sha256: "2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe" },
  keys: { tried: 2, named: null, matched: null, id: null },
  time: { signed_at: "2026-11-21T08:29:58.000Z", skew_seconds: 4, tolerance_seconds: 300 },
  repeat: null,
} as const;

export const exampleRefusal = {
  id: "019a5e3c-2f81-7a64-8b1d-3c5e7f9a1b2c",
  provider: "stripe",
  reason: exampleRefusalTrace.code,
  message: exampleRefusalTrace.message,
  hint: exampleRefusalTrace.hint,
  refused_at: "2026-11-21T08:30:02.118Z",
  request_id: "7c2e9d14-5b3a-4f68-8e21-6a0d4c9b7f35",
  address: "192.0.2.44",
  bytes: 1_482,
  unkept: 0,
  body_kept: true,
} as const;

/** Two minutes of that sender, the second of which is not over. */
const exampleCounted = {
  received: 312,
  refused: 1,
  duplicate: 4,
  quarantined: 0,
  processed: 309,
  dead: 0,
  late: 0,
  latency_ms: { about_p50: 8, about_p95: 41, about_p99: 180 },
  waiting: 3,
  oldest_waiting_seconds: 0.4,
} as const;

const { waiting: _waiting, oldest_waiting_seconds: _oldest, ...exampleHappened } = exampleCounted;

export const exampleSenderCounts = {
  step: "minute",
  from: "2026-11-21T07:30:00.000Z",
  to: "2026-11-21T08:30:30.000Z",
  complete: true,
  providers: [{ provider: "stripe", ...exampleHappened }],
} as const;

export const exampleCounts = {
  step: "minute",
  from: "2026-11-21T08:29:00.000Z",
  to: "2026-11-21T08:30:30.000Z",
  provider: "stripe",
  total: { ...exampleCounted, received: 398, processed: 394 },
  buckets: [
    { at: "2026-11-21T08:29:00.000Z", filling: false, ...exampleCounted },
    { at: "2026-11-21T08:30:00.000Z", filling: true, ...exampleCounted, received: 86, refused: 0, processed: 85 },
  ],
} as const;
