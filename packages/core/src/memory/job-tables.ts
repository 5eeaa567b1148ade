import type { Job, JobEnd, JobFailure, JobState, NewJob, OrderRules } from "../ports/job.ts";
import type { RunnerRecord } from "../ports/runners.ts";
import type { Journal } from "./journal.ts";

/** A job with what only the store knows of it. */
export interface MemoryJob extends Omit<Job, "holdsTurn">, Required<OrderRules> {
  /** Of all jobs of its order key, it is this one's turn. */
  readonly hasTurn: boolean;
  readonly payload: unknown;
  /** Until the job has ended. */
  readonly uniqueKey: string | undefined;
  readonly suspect: boolean;
  /** When it became ready, where that was not when it was stored. */
  readonly readyAt: number | undefined;
  readonly runnerId: number | undefined;
  readonly lease: number | undefined;
  /** The job that a replay put in this one's place. */
  readonly replacedBy: number | undefined;
}

export interface JobTables {
  readonly jobs: Map<number, MemoryJob>;
  readonly failures: Map<number, readonly JobFailure[]>;
  readonly runners: Map<number, RunnerRecord & { readonly dead: boolean; readonly beatAt: number }>;
  /** What jobs are about. */
  readonly events: ReadonlyMap<number, { readonly body: Uint8Array | undefined }>;
  /** Why a queue is paused, by its name. */
  readonly paused: Map<string, string | undefined>;
  /** When a schedule has fired, as `name slot`. */
  readonly slots: Map<string, { readonly name: string; readonly slot: number }>;
  /** Never used twice, not even after a rollback. */
  nextId(): number;
}

interface Origin {
  readonly eventId?: number | undefined;
  readonly replayOf?: number;
  readonly now: number;
}

const endedStates: ReadonlySet<JobState> = new Set(["done", "dead", "cancelled"]);
export const hasEnded = ({ state }: Pick<Job, "state">): boolean => endedStates.has(state);

/** Stores a job, or leaves the one that has its unique key; the id of the one that is there now. */
export const insertMemoryJob = (
  { jobs, nextId }: Pick<JobTables, "jobs" | "nextId">,
  journal: Journal,
  job: NewJob,
  { eventId, replayOf, now }: Origin,
): number => {
  const all = [...jobs.values()];
  const holder = job.unique === undefined ? undefined : all.find(({ uniqueKey }) => uniqueKey === job.unique?.key);
  if (holder !== undefined) {
    const changed = merged(all, holder, job, now);
    if (changed !== holder) journal.set(jobs, holder.id, changed);
    return holder.id;
  }
  const id = nextId();
  const hasTurn = job.orderKey !== undefined && isFree(all, job.orderKey);
  journal.set(jobs, id, {
    id,
    eventId,
    kind: job.kind,
    queue: job.queue ?? "default",
    priority: job.priority ?? 0,
    orderKey: job.orderKey,
    uniqueKey: job.unique?.key,
    onRetry: job.onRetry ?? "keep",
    onDead: job.onDead ?? "release",
    hasTurn,
    state: job.orderKey !== undefined && !hasTurn ? "blocked" : waitingState(job.dueAt),
    attempt: 0,
    maxAttempts: job.maxAttempts,
    losses: 0,
    suspect: false,
    dueAt: job.dueAt,
    payload: job.payload,
    lastError: undefined,
    replayOf,
    replacedBy: undefined,
    cancelAt: undefined,
    readyAt: undefined,
    runnerId: undefined,
    lease: undefined,
    createdAt: now,
    startedAt: undefined,
    finishedAt: undefined,
  });
  return id;
};

/** Whether nobody has the turn of an order key. */
export const isFree = (jobs: readonly MemoryJob[], orderKey: string): boolean =>
  !jobs.some((job) => job.hasTurn && job.orderKey === orderKey);

/** A job whose time has come: ready, or the next in line where others of its key went ahead. */
export const comeDue = (jobs: readonly MemoryJob[], job: MemoryJob, now: number): MemoryJob => {
  const due = { ...job, dueAt: undefined, readyAt: now };
  if (job.orderKey === undefined || job.hasTurn) return { ...due, state: "ready" };
  return isFree(jobs, job.orderKey) ? { ...due, state: "ready", hasTurn: true } : { ...due, state: "blocked" };
};

const waitingState = (dueAt: number | undefined): JobState => (dueAt === undefined ? "ready" : "scheduled");

/** What becomes of a job when another with its unique key is enqueued. */
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
  return dueAt === undefined ? comeDue(jobs, holder, now) : { ...holder, dueAt, state: "scheduled" };
};

/** The same job, with nothing left of its claim but the lease, which tells whether its end was written. */
const ended = (job: MemoryJob, end: JobEnd, now: number): MemoryJob => {
  const free = { ...job, runnerId: undefined };
  const over = { ...free, uniqueKey: undefined, finishedAt: now };
  switch (end.to) {
    case "done":
      return { ...over, state: "done" };
    case "dead":
      return { ...over, state: "dead", lastError: end.error };
    case "cancelled":
      return { ...over, state: "cancelled" };
    case "scheduled":
      return { ...free, state: "scheduled", dueAt: end.at, lastError: end.error };
    case "snoozed":
      return { ...free, state: "scheduled", dueAt: end.at, attempt: job.attempt - 1 };
    case "ready":
      return { ...free, state: "ready", readyAt: now, attempt: job.attempt - 1 };
  }
};

const runsAgain = ({ to }: JobEnd): boolean => to === "scheduled" || to === "snoozed" || to === "ready";

/** The jobs that are in a state. */
export const jobsIn = ({ jobs }: Pick<JobTables, "jobs">, state: JobState): MemoryJob[] =>
  [...jobs.values()].filter((job) => job.state === state);

/** Gives the turn of an order key to the first job that waits for it; whether there is one. */
export const passTurn = (tables: JobTables, journal: Journal, orderKey: string, now: number): boolean => {
  const next = jobsIn(tables, "blocked")
    .filter((other) => other.orderKey === orderKey)
    .reduce<MemoryJob | undefined>((first, other) => (first && first.id < other.id ? first : other), undefined);
  if (next === undefined) return false;
  journal.set(tables.jobs, next.id, { ...next, hasTurn: true, readyAt: now, state: waitingState(next.dueAt) });
  return true;
};

/** Writes how a job goes on. When it gives its turn away, the next of its order key is no longer blocked. */
export const endMemoryJob = (
  tables: JobTables,
  journal: Journal,
  job: MemoryJob,
  wanted: JobEnd,
  now: number,
): void => {
  const { jobs, failures } = tables;
  const how: JobEnd = job.cancelAt !== undefined && runsAgain(wanted) ? { to: "cancelled" } : wanted;
  const waits = how.to === "scheduled" || how.to === "snoozed";
  const holds =
    job.hasTurn &&
    (how.to === "ready" || (waits && job.onRetry === "keep") || (how.to === "dead" && job.onDead === "hold"));
  journal.set(jobs, job.id, { ...ended(job, how, now), hasTurn: holds });
  if ("error" in wanted) {
    const failure = { attempt: job.attempt, at: now, error: wanted.error };
    journal.set(failures, job.id, [...(failures.get(job.id) ?? []), failure]);
  }
  if (job.orderKey !== undefined && job.hasTurn && !holds) passTurn(tables, journal, job.orderKey, now);
};

/** Puts a new job in the place of one that has ended; its id. */
export const replaceMemoryJob = (
  tables: JobTables,
  journal: Journal,
  old: MemoryJob,
  now: number,
  dueAt?: number,
): number => {
  const { kind, queue, priority, maxAttempts, payload, orderKey, onRetry, onDead } = old;
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
  };
  // A turn that was held goes to the new one.
  journal.set(tables.jobs, old.id, { ...old, hasTurn: false });
  const id = insertMemoryJob(tables, journal, again, { eventId: old.eventId, replayOf: old.id, now });
  journal.set(tables.jobs, old.id, { ...old, hasTurn: false, replacedBy: id });
  return id;
};
