import type { ClaimedJob, JobEnd, JobState, NewJob } from "../ports/job.ts";
import type { Storage } from "../ports/storage.ts";

/** A job as the rules of `docs/states.md` say it must be, kept as plainly as can be. */
export interface Modelled {
  readonly id: number;
  readonly spec: NewJob;
  state: JobState;
  attempt: number;
  losses: number;
  dueAt: number | undefined;
  cancelAt: number | undefined;
  /** The claim that holds it, or held it last and ended it. */
  claim: Claim | undefined;
  runner: number | undefined;
  /** True if this job has the turn of its order key. */
  hasTurn: boolean;
  /** Its place in the line of its order key. */
  place: number;
  /**
   * When it became ready, the last time it did: the number of the step, and among jobs that came due
   * in one step their order. Jobs with the same number may be claimed in either order.
   */
  readyIn: number;
  /** Its work is committed, and it still runs. */
  committed: boolean;
  holdsUnique: boolean;
  replaced: boolean;
}

interface Claim {
  readonly job: ClaimedJob;
}

/** The state of a walk: the queue as the rules say it must be, and the storage under test. */
export interface Walk {
  /** The writer whose turn it is. */
  storage: Storage;
  now: number;
  stepNumber: number;
  readonly jobs: Modelled[];
  readonly claims: Claim[];
  readonly runners: { readonly id: number; state: "live" | "dead" | "retired" }[];
  readonly paused: Set<string>;
  /** The moves that were seen (`ready→running`). */
  readonly moves: Set<string>;
}

/** The queues that a walk uses. */
export const queues = ["default", "mail"];

const ended: ReadonlySet<JobState> = new Set(["done", "dead", "cancelled"]);

/** Moves a job to a state, and notes the move. */
export const to = (walk: Walk, job: Modelled, state: JobState): void => {
  walk.moves.add(`${job.state}→${state}`);
  job.state = state;
  if (state === "ready") job.readyIn = walk.stepNumber;
};
const waiting = (dueAt: number | undefined): JobState => (dueAt === undefined ? "ready" : "scheduled");
/** Whether a job has not ended. */
export const open = (job: Modelled): boolean => !ended.has(job.state);

const isFree = (walk: Walk, key: string): boolean =>
  !walk.jobs.some(({ spec, hasTurn }) => hasTurn && spec.orderKey === key);

/** Gives the turn of a job to the next one in line, if the job has it. */
export const passTurn = (walk: Walk, job: Modelled): void => {
  if (!job.hasTurn) return;
  job.hasTurn = false;
  const [next] = walk.jobs
    .filter((other) => other.spec.orderKey === job.spec.orderKey && other.state === "blocked")
    .toSorted((left, right) => left.place - right.place);
  if (next === undefined) return;
  next.hasTurn = true;
  to(walk, next, waiting(next.dueAt));
};

/** What happens to a scheduled job when its time has come. */
export const comeDue = (walk: Walk, job: Modelled): void => {
  const key = job.spec.orderKey;
  job.dueAt = undefined;
  if (key !== undefined && !job.hasTurn) job.hasTurn = isFree(walk, key);
  to(walk, job, key === undefined || job.hasTurn ? "ready" : "blocked");
};

export const priorityOf = ({ spec }: Modelled): number => spec.priority ?? 0;
/** The order in which jobs became ready. */
export const byAge = (left: Modelled, right: Modelled): number => left.readyIn - right.readyIn;
/** The order of claims. */
export const byOrder = (left: Modelled, right: Modelled): number =>
  priorityOf(left) - priorityOf(right) || byAge(left, right);

/** Adds a stored job. */
export const add = (walk: Walk, id: number, spec: NewJob): Modelled => {
  const hasTurn = spec.orderKey !== undefined && isFree(walk, spec.orderKey);
  const state = spec.orderKey !== undefined && !hasTurn ? "blocked" : waiting(spec.dueAt);
  walk.moves.add(`–→${state}`);
  const added: Modelled = {
    id,
    spec,
    state,
    attempt: 0,
    losses: 0,
    dueAt: spec.dueAt,
    cancelAt: undefined,
    claim: undefined,
    runner: undefined,
    hasTurn,
    place: walk.jobs.length,
    readyIn: walk.stepNumber,
    committed: false,
    holdsUnique: spec.unique !== undefined,
    replaced: false,
  };
  walk.jobs.push(added);
  return added;
};

/** What happens to a running job after an end. */
export const finish = (walk: Walk, job: Modelled, wanted: JobEnd): void => {
  const again = wanted.to === "scheduled" || wanted.to === "snoozed" || wanted.to === "ready";
  const stopped: JobEnd = again && job.cancelAt !== undefined ? { to: "cancelled" } : wanted;
  const end: JobEnd = job.committed ? { to: "done" } : stopped;
  if (end.to === "committed") {
    job.committed = true;
    return;
  }
  job.runner = undefined;
  if (end.to === "scheduled" || end.to === "snoozed") job.dueAt = end.at;
  if (end.to === "snoozed" || end.to === "ready") job.attempt -= 1;
  to(walk, job, end.to === "snoozed" ? "scheduled" : end.to);
  if (!open(job)) job.holdsUnique = false;
  const waits = job.state === "scheduled" && job.spec.onRetry !== "yield";
  const holds = job.state === "dead" && job.spec.onDead === "hold";
  if (job.state !== "ready" && !waits && !holds) passTurn(walk, job);
};
