import { type Job, type JobState, jobStates, type NewJob } from "@postern/core";
import { chunksOf, type Database, keyText, type Session, type Value } from "../database.ts";
import { holdsTurn, isHolding, joinLanes, keepsTurn, orderRules, rejoinLanes, takeOverTurn } from "./lanes.ts";

/** Columns of a job as they are read. */
export interface JobRow {
  readonly id: number;
  readonly event_ref: number | null;
  readonly kind: string;
  readonly queue: string;
  readonly priority: number;
  /** Bytes on MySQL, where no collation may touch it. */
  readonly order_key: string | Uint8Array | null;
  readonly state: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly losses: number;
  readonly due_at: number | null;
  readonly last_error: string | null;
  readonly replay_of: number | null;
  readonly cancel_at: number | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly holding: number;
}

export const jobColumns = `id, event_ref, kind, queue, priority, order_key, state, attempt, max_attempts, losses, due_at, last_error, replay_of, cancel_at,
  created_at, started_at, finished_at, CASE WHEN ${isHolding} THEN 1 ELSE 0 END AS holding`;

const stateNames = new Map<number, JobState>(
  // The entries of the very table whose keys are the states.
  Object.entries(jobStates).map(([name, code]) => [code, name as JobState]),
);

export const stateName = (code: number): JobState => {
  const name = stateNames.get(code);
  if (name === undefined) throw new TypeError(`there is no job state ${code}`);
  return name;
};

const orUndefined = <Given>(value: Given | null): Given | undefined => value ?? undefined;

export const toJob = (row: JobRow): Job => ({
  id: row.id,
  eventId: orUndefined(row.event_ref),
  kind: row.kind,
  queue: row.queue,
  priority: row.priority,
  orderKey: row.order_key === null ? undefined : keyText(row.order_key),
  holdsTurn: row.holding === 1,
  state: stateName(row.state),
  attempt: row.attempt,
  maxAttempts: row.max_attempts,
  losses: row.losses,
  dueAt: orUndefined(row.due_at),
  lastError: orUndefined(row.last_error),
  replayOf: orUndefined(row.replay_of),
  cancelAt: orUndefined(row.cancel_at),
  createdAt: row.created_at,
  startedAt: orUndefined(row.started_at),
  finishedAt: orUndefined(row.finished_at),
});

export interface JobToInsert extends NewJob {
  readonly id: number;
  readonly eventId?: number;
  readonly replayOf?: number;
  readonly createdAt: number;
  /** The claim that it begins with, where it is handed out at once. */
  readonly claim?: { readonly runnerId: number; readonly lease: number };
  /** The payload as JSON text, where it is at hand already. */
  readonly payloadText?: string | null;
}

const insertColumns = [
  "id",
  "event_ref",
  "queue",
  "kind",
  "payload",
  "priority",
  "state",
  "due_at",
  "attempt",
  "max_attempts",
  "losses",
  "suspect",
  "runner",
  "lease",
  "started_at",
  "order_key",
  "order_rules",
  "unique_key",
  "replay_of",
  "created_at",
];

const payloadText = ({ payload, payloadText: text }: JobToInsert): string | null =>
  text ?? (payload === undefined ? null : JSON.stringify(payload));

const waitingState = ({ dueAt }: JobToInsert): number => (dueAt === undefined ? jobStates.ready : jobStates.scheduled);

const firstState = (job: JobToInsert): number => {
  if (job.claim !== undefined) return jobStates.running;
  // Whether it is its turn is known once it is there.
  return job.orderKey === undefined ? waitingState(job) : jobStates.blocked;
};

const insertRow = (job: JobToInsert): readonly Value[] => [
  job.id,
  job.eventId ?? null,
  job.queue ?? "default",
  job.kind,
  payloadText(job),
  job.priority ?? 0,
  firstState(job),
  job.dueAt ?? null,
  job.claim === undefined ? 0 : 1,
  job.maxAttempts,
  0,
  0,
  job.claim?.runnerId ?? null,
  job.claim?.lease ?? null,
  job.claim === undefined ? null : job.createdAt,
  job.orderKey ?? null,
  orderRules(job),
  job.unique?.key ?? null,
  job.replayOf ?? null,
  job.createdAt,
];

/** Stores jobs; the id of each: its own, or that of the job which has its unique key. */
export const insertJobs = async (
  database: Database,
  session: Session,
  jobs: readonly JobToInsert[],
): Promise<readonly number[]> => {
  const { dialect } = database;
  const plain = jobs.filter(({ unique }) => unique === undefined);
  await dialect.insertRows(session, "job", insertColumns, plain.map(insertRow));
  const holders =
    plain.length === jobs.length
      ? new Map<string, number>()
      : await insertUnique(
          database,
          session,
          jobs.filter(({ unique }) => unique !== undefined),
        );
  const idOf = ({ id, unique }: JobToInsert): number => (unique && holders.get(unique.key)) ?? id;
  const inOrder = jobs.filter((job) => job.orderKey !== undefined && idOf(job) === job.id);
  const [first] = inOrder;
  if (first !== undefined) await joinLanes(database, session, inOrder, first.createdAt);
  return jobs.map(idOf);
};

/** Stores those whose unique key is free; who has each of the keys then. */
const insertUnique = async (
  database: Database,
  session: Session,
  jobs: readonly JobToInsert[],
): Promise<ReadonlyMap<string, number>> => {
  const firsts = new Map<string, JobToInsert>();
  for (const job of jobs) if (job.unique && !firsts.has(job.unique.key)) firsts.set(job.unique.key, job);
  const holders = new Map<string, number>();
  // In one order everywhere, so that two who want the same keys wait for each other instead of deadlocking.
  const sorted = [...firsts].toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const chunk of chunksOf(sorted, 100)) {
    await session.run(
      database.dialect.insertUnlessTaken("job", insertColumns, "unique_key", chunk.length),
      chunk.flatMap(([, job]) => insertRow(job)),
    );
    const found = await session.rows<{ id: number; unique_key: string | Uint8Array }>(
      `SELECT id, unique_key FROM job WHERE unique_key IN (${chunk.map(() => "?").join(", ")})`,
      chunk.map(([key]) => key),
    );
    for (const { id, unique_key: key } of found) holders.set(keyText(key), id);
  }
  for (const job of jobs) await mergeInto(database, session, job, holders.get(job.unique?.key ?? ""));
  return holders;
};

const { ready, scheduled, blocked } = jobStates;

/** What becomes of a job that waits when another with its unique key is stored. */
const mergeInto = async (
  database: Database,
  session: Session,
  job: JobToInsert,
  holder: number | undefined,
): Promise<void> => {
  if (holder === undefined || holder === job.id) return;
  if (job.unique?.whenTaken === "replace") {
    await session.run(`UPDATE job SET payload = ? WHERE id = ? AND state IN (${ready}, ${scheduled}, ${blocked})`, [
      payloadText(job),
      holder,
    ]);
  }
  if (job.unique?.whenTaken === "reschedule") {
    if (job.dueAt === undefined && (await runAtOnce(database, session, holder, job.createdAt))) return;
    await session.run(
      `UPDATE job SET due_at = ?, state = CASE WHEN state = ${blocked} THEN ${blocked} ELSE ? END
        WHERE id = ? AND state IN (${ready}, ${scheduled}, ${blocked})`,
      [job.dueAt ?? null, waitingState(job), holder],
    );
  }
};

/** Makes a scheduled job ready, or the next in line; false when it is not scheduled. */
export const runAtOnce = async (database: Database, session: Session, id: number, now: number): Promise<boolean> => {
  const [job] = await session.rows<{ state: number; order_key: unknown; order_rules: number }>(
    `SELECT state, order_key, order_rules FROM job WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (job?.state !== scheduled) return false;
  if (job.order_key !== null && !keepsTurn(job.order_rules)) await rejoinLanes(database, session, [id], now);
  else await session.run(`UPDATE job SET state = ${ready}, due_at = NULL, ready_at = ? WHERE id = ?`, [now, id]);
  return true;
};

/** An ended job whose place a new one takes. */
export interface ReplacedRow {
  readonly id: number;
  readonly event_ref: number | null;
  readonly queue: string;
  readonly kind: string;
  readonly payload: string | null;
  readonly priority: number;
  readonly max_attempts: number;
  readonly order_key: string | Uint8Array | null;
  readonly order_rules: number;
}

export const replacedColumns = "id, event_ref, queue, kind, payload, priority, max_attempts, order_key, order_rules";

/** Puts a new job in the place of each; their ids. The caller has made sure that nobody else does. */
export const replaceJobs = async (
  database: Database,
  session: Session,
  rows: readonly ReplacedRow[],
  now: number,
  dueAt?: number,
): Promise<readonly number[]> => {
  if (rows.length === 0) return [];
  const first = await database.ids.takeWithin(session, "job", rows.length);
  const jobs = rows.map(
    (old, index): JobToInsert => ({
      id: first + index,
      kind: old.kind,
      queue: old.queue,
      payloadText: old.payload,
      priority: old.priority,
      maxAttempts: old.max_attempts,
      replayOf: old.id,
      createdAt: now,
      onRetry: keepsTurn(old.order_rules) ? "keep" : "yield",
      onDead: holdsTurn(old.order_rules) ? "hold" : "release",
      ...(old.event_ref === null ? {} : { eventId: old.event_ref }),
      ...(old.order_key === null ? {} : { orderKey: keyText(old.order_key) }),
      ...(dueAt === undefined ? {} : { dueAt }),
    }),
  );
  await insertJobs(database, session, jobs);
  for (const { id, replayOf = 0, orderKey, onDead } of jobs) {
    await session.run("UPDATE job SET replaced_by = ? WHERE id = ?", [id, replayOf]);
    if (orderKey !== undefined && onDead === "hold")
      await takeOverTurn(session, orderKey, { from: replayOf, to: id, now });
  }
  return jobs.map(({ id }) => id);
};
