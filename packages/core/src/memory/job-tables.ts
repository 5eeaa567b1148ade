import { AppError } from "../errors/index.ts";
import { firstLineOf } from "../first-line.ts";
import { causeId } from "../job-rules/failure-cause.ts";
import {
  attemptCounts,
  checkMove,
  effectiveEnd,
  endedStates,
  keepsTurn,
  runsAgain,
  stateAfter,
  unborn,
  waitingState,
} from "../job-rules/job-life-cycle.ts";
import type { EventDisposition } from "../ports/event-store.ts";
import type { Failed, Job, JobEnd, JobFailure, JobState, NewJob, OrderRules } from "../ports/job.ts";
import type { RunnerRecord } from "../ports/runners.ts";
import type { ScheduleState } from "../ports/schedule-slots.ts";
import type { Journal } from "./journal.ts";
import { addToFeed, type FeedTable } from "./memory-feed.ts";

/** A job, with what only the store knows about it. */
export interface MemoryJob extends Omit<Job, "holdsTurn">, Required<OrderRules> {
  /** It has the turn among the jobs of its order key. */
  readonly hasTurn: boolean;
  readonly payload: unknown;
  /** The unique key; absent once the job has ended. */
  readonly uniqueKey: string | undefined;
  /** The unique key, also after the job has ended: a job that replaces it takes the key over. */
  readonly uniqueName: string | undefined;
  readonly suspect: boolean;
  /** Its place in the line of its order key, in the order of the commits. */
  readonly place: number;
  /** Its effect is committed, and its handler is still running. */
  readonly committed: boolean;
  /** When it last became ready. */
  readonly readyAt: number | undefined;
  /** The order of claims. It grows with each job that becomes ready, in any process. */
  readonly readyOrder: number;
  readonly runnerId: number | undefined;
  readonly lease: number | undefined;
  /** Its handler failed after it had committed. */
  readonly afterCommit: boolean;
  /** The job that replaced it in a replay. */
  readonly replacedBy: number | undefined;
}

interface MemoryRunner extends RunnerRecord {
  readonly dead: boolean;
  /** The runner was told to stop. */
  readonly stopping: boolean;
}

export const beaten = (runner: MemoryRunner, now: number, isIdle: boolean): MemoryRunner => ({
  ...runner,
  beat: runner.beat + 1,
  beatAt: now,
  isIdle,
});

/** A failure, with the id of its cause. */
interface MemoryFailure extends JobFailure {
  readonly cause: string;
}

export interface JobTables {
  readonly jobs: Map<number, MemoryJob>;
  readonly failures: Map<number, readonly MemoryFailure[]>;
  readonly feed: FeedTable;
  readonly runners: Map<number, MemoryRunner>;
  /** The events that jobs are about. */
  readonly events: ReadonlyMap<
    number,
    { readonly provider: string; readonly body: Uint8Array | undefined; readonly disposition: EventDisposition }
  >;
  /** The notes of paused queues, by queue name. */
  readonly paused: Map<string, string | undefined>;
  /** The times at which schedules have fired, as `name slot`. */
  readonly slots: Map<string, { readonly name: string; readonly slot: number }>;
  /** What is stored about schedules beside their times, by name. */
  readonly schedules: Map<string, ScheduleState>;
  /**
   * An id that is never used twice, not even after a rollback. Each process that shares the tables
   * has a block of its own.
   */
  nextId(): number;
  /** A number for a runner or a lease, which is never handed out again, whatever is forgotten. */
  nextToken(): number;
  /** Takes the next number from a block above all that are stored. */
  doubtIds(): void;
  /** Grows with each call, in any process. */
  nextPlace(): number;
}

/**
 * A number for a new row of `rows`.
 * @throws AppError `unavailable` if a row has it; the next one is free.
 */
export const newIdIn = (
  { nextId, doubtIds }: Pick<JobTables, "nextId" | "doubtIds">,
  rows: ReadonlyMap<number, unknown>,
): number => {
  const id = nextId();
  if (!rows.has(id)) return id;
  doubtIds();
  throw new AppError("unavailable", { detail: "It was not stored, because its number was taken. Send it again." });
};

interface Origin {
  readonly eventId?: number | undefined;
  readonly replayOf?: number;
  readonly now: number;
}

export const hasEnded = ({ state }: Pick<Job, "state">): boolean => endedStates.includes(state);

/** Writes a job. @throws TypeError for a move that is not in the life cycle. */
export const putMemoryJob = (
  { jobs, nextPlace }: Pick<JobTables, "jobs" | "nextPlace">,
  journal: Journal,
  job: MemoryJob,
): void => {
  const before = jobs.get(job.id)?.state ?? unborn;
  checkMove(before, job.state);
  const becomesReady = job.state === "ready" && before !== "ready";
  journal.set(jobs, job.id, becomesReady ? { ...job, readyOrder: nextPlace() } : job);
};

/**
 * Stores a job, unless another job has its unique key. Returns the id of the job that is there now.
 */
export const insertMemoryJob = (
  tables: Pick<JobTables, "jobs" | "nextId" | "doubtIds" | "nextPlace">,
  journal: Journal,
  job: NewJob,
  { eventId, replayOf, now }: Origin,
): number => {
  const all = [...tables.jobs.values()];
  const holder = job.unique === undefined ? undefined : all.find(({ uniqueKey }) => uniqueKey === job.unique?.key);
  if (holder !== undefined) {
    const changed = merged(all, holder, job, now);
    if (changed !== holder) putMemoryJob(tables, journal, changed);
    return holder.id;
  }
  const id = newIdIn(tables, tables.jobs);
  const hasTurn = job.orderKey !== undefined && isFree(all, job.orderKey);
  const state = job.orderKey !== undefined && !hasTurn ? "blocked" : waitingState(job.dueAt);
  putMemoryJob(tables, journal, {
    id,
    eventId,
    kind: job.kind,
    queue: job.queue ?? "default",
    priority: job.priority ?? 0,
    orderKey: job.orderKey,
    uniqueKey: job.unique?.key,
    uniqueName: job.unique?.key,
    onRetry: job.onRetry ?? "keep",
    onDead: job.onDead ?? "release",
    hasTurn,
    place: tables.nextPlace(),
    committed: false,
    state,
    attempt: 0,
    maxAttempts: job.maxAttempts,
    losses: 0,
    suspect: false,
    dueAt: job.dueAt,
    payload: job.payload,
    lastError: undefined,
    replayOf,
    afterCommit: false,
    replacedBy: undefined,
    cancelAt: undefined,
    readyAt: state === "ready" ? now : undefined,
    readyOrder: 0,
    runnerId: undefined,
    lease: undefined,
    createdAt: now,
    startedAt: undefined,
    finishedAt: undefined,
  });
  return id;
};

/** Whether no job has the turn of an order key. */
export const isFree = (jobs: readonly MemoryJob[], orderKey: string): boolean =>
  !jobs.some((job) => job.hasTurn && job.orderKey === orderKey);

/**
 * Moves a job whose time has come: it becomes ready, or the next in line if others of its key went
 * ahead.
 */
export const comeDue = (jobs: readonly MemoryJob[], job: MemoryJob, now: number): MemoryJob => {
  const due = { ...job, dueAt: undefined, readyAt: now };
  if (job.orderKey === undefined || job.hasTurn) return { ...due, state: "ready" };
  return isFree(jobs, job.orderKey) ? { ...due, state: "ready", hasTurn: true } : { ...due, state: "blocked" };
};

/** The job that has the unique key, after another one with that key was enqueued. */
const merged = (
  jobs: readonly MemoryJob[],
  holder: MemoryJob,
  { unique, payload, dueAt }: NewJob,
  now: number,
): MemoryJob => {
  if (holder.state === "running") return holder;
  if (unique?.whenTaken === "replace") return { ...holder, payload };
  if (unique?.whenTaken !== "reschedule") return holder;
  if (holder.state === "blocked") return { ...holder, dueAt };
  if (dueAt !== undefined) return { ...holder, dueAt, state: "scheduled" };
  return holder.state === "scheduled" ? comeDue(jobs, holder, now) : holder;
};

/**
 * The same job after an end. Of its claim only the lease remains, which tells whether the end was
 * written.
 */
const ended = (job: MemoryJob, end: JobEnd, now: number): MemoryJob => ({
  ...job,
  state: stateAfter(end),
  attempt: attemptCounts(end) ? job.attempt : job.attempt - 1,
  runnerId: undefined,
  ...("at" in end ? { dueAt: end.at } : {}),
  ...("error" in end ? { lastError: end.error } : {}),
  ...(end.to === "ready" ? { readyAt: now } : {}),
  ...(runsAgain(end) ? {} : { uniqueKey: undefined, finishedAt: now }),
});

/** The jobs in a state. */
export const jobsIn = ({ jobs }: Pick<JobTables, "jobs">, state: JobState): MemoryJob[] =>
  [...jobs.values()].filter((job) => job.state === state);

/**
 * Gives the turn of an order key to the first job that waits for it. Returns whether there is one.
 */
export const passTurn = (tables: JobTables, journal: Journal, orderKey: string, now: number): boolean => {
  const next = jobsIn(tables, "blocked")
    .filter((other) => other.orderKey === orderKey)
    .reduce<MemoryJob | undefined>((first, other) => (first && first.place < other.place ? first : other), undefined);
  if (next === undefined) return false;
  putMemoryJob(tables, journal, { ...next, hasTurn: true, readyAt: now, state: waitingState(next.dueAt) });
  return true;
};

/** Keeps a failure with its job, which is in its new state already. */
export const keepMemoryFailure = (
  { failures, events, feed }: JobTables,
  journal: Journal,
  { id, kind, eventId, attempt, state, afterCommit }: MemoryJob,
  { failed: { error, stack, log = [] }, now }: { readonly failed: Failed; readonly now: number },
): void => {
  const text = stack === undefined ? error : `${error}\n${stack}`;
  const failure = { attempt, at: now, error: text, log, afterCommit, cause: causeId(kind, text) };
  journal.set(failures, id, [...(failures.get(id) ?? []), failure]);
  const provider = eventId === undefined ? undefined : events.get(eventId)?.provider;
  const failed = { id, kind, eventId, provider, attempt, state, error: firstLineOf(error) };
  addToFeed(feed, journal, now, [{ kind: "job", part: 0, job: failed }]);
};

/**
 * Writes what happens to a job after an end. If it gives its turn away, the next of its order key
 * is no longer blocked.
 */
export const endMemoryJob = (
  tables: JobTables,
  journal: Journal,
  job: MemoryJob,
  { end: wanted, now }: { readonly end: JobEnd; readonly now: number },
): void => {
  const end = effectiveEnd(wanted, { committed: job.committed, cancelAsked: job.cancelAt !== undefined });
  if (end.to === "committed") {
    putMemoryJob(tables, journal, { ...job, committed: true });
    return;
  }
  const next = ended(job, end, now);
  const hasTurn = job.hasTurn && keepsTurn(end, job);
  putMemoryJob(tables, journal, { ...next, hasTurn });
  if ("error" in wanted && !job.committed)
    keepMemoryFailure(tables, journal, { ...next, attempt: job.attempt }, { failed: wanted, now });
  if (job.orderKey !== undefined && job.hasTurn && !hasTurn) passTurn(tables, journal, job.orderKey, now);
};

/**
 * Replaces a job that has ended by a new one and returns its id; `undefined` if another job has its
 * unique key by now. If the old job held the turn, the new one gets the turn and its place in line.
 */
export const replaceMemoryJob = (
  tables: JobTables,
  journal: Journal,
  old: MemoryJob,
  { now, dueAt }: { readonly now: number; readonly dueAt?: number | undefined },
): number | undefined => {
  const { kind, queue, priority, maxAttempts, payload, orderKey, onRetry, onDead, uniqueName } = old;
  const isTaken = [...tables.jobs.values()].some(
    ({ uniqueKey }) => uniqueKey !== undefined && uniqueKey === uniqueName,
  );
  if (isTaken) return undefined;
  const again: NewJob = {
    kind,
    queue,
    priority,
    maxAttempts,
    payload,
    onRetry,
    onDead,
    ...(orderKey === undefined ? {} : { orderKey }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(uniqueName === undefined ? {} : { unique: { key: uniqueName } }),
  };
  journal.set(tables.jobs, old.id, { ...old, hasTurn: false });
  const id = insertMemoryJob(tables, journal, again, { eventId: old.eventId, replayOf: old.id, now });
  journal.set(tables.jobs, old.id, { ...old, hasTurn: false, replacedBy: id });
  const made = tables.jobs.get(id);
  if (old.hasTurn && made !== undefined) journal.set(tables.jobs, id, { ...made, place: old.place });
  return id;
};
