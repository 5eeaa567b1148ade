import { type Job, type JobState, jobStates, type NewJob } from "@postern/core";
import { type Database, placeholders, quoted, type Session, type Value } from "../database.ts";

/** Columns of a job as they are read. */
export interface JobRow {
  readonly id: number;
  readonly event_ref: number | null;
  readonly kind: string;
  readonly queue: string;
  readonly state: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly losses: number;
  readonly due_at: number | null;
  readonly last_error: string | null;
  readonly replay_of: number | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

export const jobColumns =
  "id, event_ref, kind, queue, state, attempt, max_attempts, losses, due_at, last_error, replay_of, created_at, started_at, finished_at";

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
  state: stateName(row.state),
  attempt: row.attempt,
  maxAttempts: row.max_attempts,
  losses: row.losses,
  dueAt: orUndefined(row.due_at),
  lastError: orUndefined(row.last_error),
  replayOf: orUndefined(row.replay_of),
  createdAt: row.created_at,
  startedAt: orUndefined(row.started_at),
  finishedAt: orUndefined(row.finished_at),
});

export interface JobToInsert extends NewJob {
  readonly id: number;
  readonly eventId?: number;
  readonly replayOf?: number;
  readonly createdAt: number;
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
  "replay_of",
  "created_at",
];

const insertRow = (job: JobToInsert): readonly Value[] => [
  job.id,
  job.eventId ?? null,
  job.queue ?? "default",
  job.kind,
  job.payloadText ?? (job.payload === undefined ? null : JSON.stringify(job.payload)),
  job.priority ?? 0,
  job.dueAt === undefined ? jobStates.ready : jobStates.scheduled,
  job.dueAt ?? null,
  0,
  job.maxAttempts,
  0,
  job.replayOf ?? null,
  job.createdAt,
];

export const insertJobs = async (
  { dialect }: Database,
  session: Session,
  jobs: readonly JobToInsert[],
): Promise<void> => {
  for (const chunk of dialect.insertChunks(jobs.map(insertRow))) {
    await session.run(
      `INSERT INTO job (${quoted(insertColumns)}) VALUES ${placeholders(chunk.length, insertColumns.length)}`,
      chunk.flat(),
    );
  }
};
