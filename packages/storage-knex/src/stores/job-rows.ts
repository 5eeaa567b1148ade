import type { NewJob } from "@postern/core";
import { waitingState } from "@postern/core/internal";
import { type Job, type JobState, jobStates } from "@postern/core/ports";
import {
  chunksOf,
  type Database,
  type InRow,
  inOrderOf,
  keyText,
  type Session,
  withoutNulls,
} from "../engine/database.ts";
import type { InsertRow } from "../engine/dialect.ts";
import { unreadable } from "../engine/stored-json.ts";
import { TakenNumber } from "../engine/translate-error.ts";
import { isHolding, joinLanes, orderRules, rejoinLanes, rulesOf, type Standing, takeOverTurn } from "./lanes.ts";

/** The columns of a job. */
export interface JobRow extends InRow<Omit<Job, "orderKey" | "holdsTurn" | "state">> {
  /** Bytes on MySQL, so that no collation applies to it. */
  readonly orderKey: string | Uint8Array | null;
  readonly holdsTurn: number;
  readonly state: number;
}

export const jobColumns =
  "id, event_ref AS `eventId`, kind, queue, priority, order_key AS `orderKey`, state, attempt, losses, " +
  "max_attempts AS `maxAttempts`, due_at AS `dueAt`, last_error AS `lastError`, replay_of AS `replayOf`, " +
  "cancel_at AS `cancelAt`, created_at AS `createdAt`, started_at AS `startedAt`, finished_at AS `finishedAt`, " +
  `CASE WHEN ${isHolding} THEN 1 ELSE 0 END AS \`holdsTurn\``;

const stateNames = new Map<number, JobState>(
  // The keys of this table are the states.
  Object.entries(jobStates).map(([name, code]) => [code, name as JobState]),
);

/** A code that is not known here is read as `dead`: nothing runs such a job, and somebody has to look. */
export const stateName = (code: number): JobState => stateNames.get(code) ?? "dead";

export const toJob = (row: JobRow): Job => {
  const orderKey = row.orderKey === null ? undefined : keyText(row.orderKey);
  return {
    ...withoutNulls(row),
    orderKey,
    holdsTurn: row.holdsTurn === 1,
    state: stateName(row.state),
    ...(stateNames.has(row.state) ? undefined : { lastError: unreadable("job.state", row.id) }),
  };
};

export interface JobToInsert extends NewJob {
  readonly id: number;
  readonly eventId?: number;
  readonly replayOf?: number;
  readonly createdAt: number;
  /** The claim with which it begins, if it is handed out at once. */
  readonly claim?: { readonly runnerId: number; readonly lease: number };
  /** The payload as JSON text, if that exists already. */
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
  "place",
  "unique_key",
  "unique_name",
  "replay_of",
  "created_at",
];

const payloadText = ({ payload, payloadText: text }: JobToInsert): string | null =>
  text ?? (payload === undefined ? null : JSON.stringify(payload));

/** `standing` is the place of a job with an order key, once it is known. */
const firstState = ({ claim, orderKey, dueAt }: JobToInsert, standing: Standing | undefined): JobState => {
  if (claim !== undefined) return "running";
  return orderKey === undefined || standing?.hasTurn === true ? waitingState(dueAt) : "blocked";
};

type Standings = ReadonlyMap<number, Standing>;

const insertRow = (job: JobToInsert, standings: Standings): InsertRow => {
  const standing = standings.get(job.id);
  return [
    job.id,
    job.eventId ?? null,
    job.queue ?? "default",
    job.kind,
    payloadText(job),
    job.priority ?? 0,
    jobStates[firstState(job, standing)],
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
    standing?.place ?? null,
    job.unique?.key ?? null,
    job.unique?.key ?? null,
    job.replayOf ?? null,
    job.createdAt,
  ];
};

const nobody: Standings = new Map();

/**
 * Stores jobs. Returns the id of each: its own, or that of the job that already has its unique key.
 * Jobs take their places in the lanes of their order keys here, under the lock of the key's row. So
 * the places are in the order of the commits.
 */
export const insertJobs = async (
  database: Database,
  session: Session,
  jobs: readonly JobToInsert[],
): Promise<readonly number[]> => {
  if (jobs.length === 0) return [];
  const unique: JobToInsert[] = [];
  for (const job of jobs) if (job.unique !== undefined) unique.push(job);
  // A unique key decides first whether a job is stored at all.
  const holders = unique.length === 0 ? new Map<string, number>() : await insertUnique(database, session, unique);
  const ids: number[] = [];
  const inOrder: { readonly id: number; readonly orderKey: string }[] = [];
  for (const { id, unique: own, orderKey } of jobs) {
    const stored = (own && holders.get(own.key)) ?? id;
    ids.push(stored);
    if (stored === id && orderKey !== undefined) inOrder.push({ id, orderKey });
  }
  const standings = inOrder.length === 0 ? nobody : await joinLanes(database, session, inOrder);
  const rows: InsertRow[] = [];
  for (const job of jobs) if (job.unique === undefined) rows.push(insertRow(job, standings));
  await database.dialect.insertRows(session, { table: "job", columns: insertColumns, timed: "ready_order" }, rows);
  for (const job of unique) {
    const standing = standings.get(job.id);
    if (standing === undefined) continue;
    const state = jobStates[firstState(job, standing)];
    await session.run("UPDATE job SET place = ?, state = ? WHERE id = ?", [standing.place, state, job.id]);
  }
  return ids;
};

/** Stores the jobs whose unique key is free. Returns the holder of each key. */
const insertUnique = async (
  database: Database,
  session: Session,
  jobs: readonly JobToInsert[],
): Promise<ReadonlyMap<string, number>> => {
  const { dialect } = database;
  const firsts = new Map<string, JobToInsert>();
  for (const job of jobs) if (job.unique && !firsts.has(job.unique.key)) firsts.set(job.unique.key, job);
  const holders = new Map<string, number>();
  const sorted = inOrderOf(firsts, ([key]) => key);
  for (const chunk of chunksOf(sorted, 100)) {
    const { changed } = await session.run(
      dialect.insertUnique(insertColumns, chunk.length),
      chunk.flatMap(([, job]) => insertRow(job, nobody)),
    );
    const keys = chunk.map(([key]) => key);
    const found = await session.rows<{ id: number; unique_key: string | Uint8Array }>(
      `SELECT id, unique_key FROM job WHERE unique_key IN (${keys.map(() => "?").join(", ")})${dialect.latest}`,
      keys,
    );
    for (const { id, unique_key: key } of found) holders.set(keyText(key), id);
    const stored = chunk.flatMap(([key, { id }]) => (holders.get(key) === id ? [id] : []));
    if (stored.length > changed) throw new TakenNumber("a job with the same unique key has the number of a new one");
    if (stored.length === 0) continue;
    const time = dialect.microseconds();
    const where = dialect.anyOf("id", stored);
    const sql = `UPDATE job SET ready_order = ${time.sql} WHERE ${where.sql}`;
    await session.run(sql, [...time.values, ...where.values]);
  }
  for (const job of jobs) await mergeInto(database, session, job, holders.get(job.unique?.key ?? ""));
  return holders;
};

const { ready, scheduled, blocked } = jobStates;

/** Changes the waiting job `holder` when another job with its unique key is stored. */
const mergeInto = async (
  database: Database,
  session: Session,
  job: JobToInsert,
  holder: number | undefined,
): Promise<void> => {
  if (holder === undefined || holder === job.id) return;
  if (job.unique?.whenTaken === "replace") {
    const sql = `UPDATE job SET payload = ? WHERE id = ? AND state IN (${ready}, ${scheduled}, ${blocked})`;
    await session.run(sql, [payloadText(job), holder]);
  }
  if (job.unique?.whenTaken === "reschedule") {
    if (job.dueAt === undefined && (await runAtOnce(database, session, holder, job.createdAt))) return;
    await session.run(
      `UPDATE job SET due_at = ?, state = CASE WHEN state = ${blocked} THEN ${blocked} ELSE ? END
        WHERE id = ? AND state IN (${ready}, ${scheduled}, ${blocked})`,
      [job.dueAt ?? null, jobStates[waitingState(job.dueAt)], holder],
    );
  }
};

/** Makes a scheduled job ready, or puts it back in line. False if it is not scheduled. */
export const runAtOnce = async (database: Database, session: Session, id: number, now: number): Promise<boolean> => {
  const [job] = await session.rows<{ state: number; order_key: unknown; order_rules: number }>(
    `SELECT state, order_key, order_rules FROM job WHERE id = ?${database.dialect.forUpdate}`,
    [id],
  );
  if (job?.state !== scheduled) return false;
  if (job.order_key !== null && rulesOf(job.order_rules).onRetry === "yield") {
    await rejoinLanes(database, session, [id], now);
    return true;
  }
  const time = database.dialect.microseconds();
  await session.run(
    `UPDATE job SET state = ${ready}, due_at = NULL, ready_at = ?, ready_order = ${time.sql} WHERE id = ?`,
    [now, ...time.values, id],
  );
  return true;
};

/** An ended job that a new job replaces. */
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
  readonly place: number | null;
  readonly unique_name: string | Uint8Array | null;
}

export const replacedColumns =
  "id, event_ref, queue, kind, payload, priority, max_attempts, order_key, order_rules, place, unique_name";

/**
 * Replaces each job by a new one with the same unique key, and returns the ids of the new jobs. It
 * leaves out a job whose unique key another job has by now. The caller must make sure that no other
 * transaction replaces the same jobs.
 */
export const replaceJobs = async (
  database: Database,
  session: Session,
  rows: readonly ReplacedRow[],
  { now, dueAt }: { readonly now: number; readonly dueAt?: number | undefined },
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
      ...rulesOf(old.order_rules),
      ...(old.event_ref === null ? {} : { eventId: old.event_ref }),
      ...(old.order_key === null ? {} : { orderKey: keyText(old.order_key) }),
      ...(old.unique_name === null ? {} : { unique: { key: keyText(old.unique_name) } }),
      ...(dueAt === undefined ? {} : { dueAt }),
    }),
  );
  const stored = await insertJobs(database, session, jobs);
  const made: number[] = [];
  for (const [index, { id, replayOf: old = 0, orderKey, onDead }] of jobs.entries()) {
    if (stored[index] !== id) continue;
    made.push(id);
    await session.run("UPDATE job SET replaced_by = ? WHERE id = ?", [id, old]);
    if (orderKey !== undefined && onDead === "hold") {
      await takeOverTurn(database, session, { id, orderKey }, { old, place: rows[index]?.place ?? null, now });
    }
  }
  return made;
};
