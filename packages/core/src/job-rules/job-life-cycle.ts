import type { EventDisposition, EventState } from "../ports/event-store.ts";
import type { Job, JobEnd, JobState, OrderRules } from "../ports/job.ts";
import type { RecoveryPolicy } from "../ports/runners.ts";

/** A job before it is stored. */
export const unborn = "–";

/** A kind of move: the states it may leave, the states it may reach, and when it happens. */
interface JobMove {
  readonly from: readonly (JobState | typeof unborn)[];
  readonly to: readonly JobState[];
  /** In the words of `docs/states.md`. */
  readonly when: string;
}

/**
 * The life cycle of a job: every move there is. `docs/states.md` shows the same rows and a test
 * compares them. The in-memory adapter refuses any other move; the SQL adapters name the states in
 * their statements.
 */
export const jobMoves: readonly JobMove[] = [
  { from: [unborn], to: ["ready"], when: "stored with its event, or enqueued" },
  { from: [unborn], to: ["scheduled"], when: "enqueued for later" },
  { from: [unborn], to: ["blocked"], when: "another job of its order key has the turn" },
  { from: ["blocked"], to: ["ready", "scheduled"], when: "it gets the turn" },
  { from: ["scheduled"], to: ["ready"], when: "its time has come, or somebody runs it at once" },
  {
    from: ["scheduled"],
    to: ["blocked"],
    when: 'the same, and other jobs of its order key have gone ahead (`onRetry: "yield"`)',
  },
  {
    from: ["ready"],
    to: ["scheduled"],
    when: 'a job with its unique key was enqueued for later (`whenTaken: "reschedule"`)',
  },
  { from: ["ready"], to: ["running"], when: "claimed; the attempt counts, a new lease begins" },
  { from: ["running"], to: ["done"], when: "the handler ended well, or committed" },
  {
    from: ["running"],
    to: ["scheduled"],
    when: "the handler failed and has attempts left, or its runner died; snoozed, the attempt does not count",
  },
  {
    from: ["running"],
    to: ["dead"],
    when: "permanent failure, attempts used up, or too many runners died with it",
  },
  { from: ["running"], to: ["ready"], when: "given back at shutdown; the attempt does not count" },
  { from: ["running"], to: ["cancelled"], when: "somebody asked for its end, and it had not committed" },
  { from: ["ready", "scheduled", "blocked"], to: ["cancelled"], when: "somebody asked for its end" },
  {
    from: ["dead"],
    to: ["cancelled"],
    when: 'it held its order key (`onDead: "hold"`) and somebody asked for its end, or its event was discarded',
  },
];

const known: ReadonlySet<string> = new Set(
  jobMoves.flatMap(({ from, to }) => from.flatMap((one) => to.map((other) => `${one} ${other}`))),
);

/** @throws TypeError for a move that is not in the table. A job may also stay in its state. */
export const checkMove = (from: JobState | typeof unborn, to: JobState): void => {
  if (from !== to && !known.has(`${from} ${to}`)) throw new TypeError(`a job does not go from ${from} to ${to}`);
};

/** It waits for a runner, for its time or for its turn. */
export const waitingStates: readonly JobState[] = ["ready", "scheduled", "blocked"];
/** It will not run again. A replay or a retry puts a new job in its place. */
export const endedStates: readonly JobState[] = ["done", "dead", "cancelled"];
/** A replay or a retry may put a new job in its place. */
export const givenUpStates: readonly JobState[] = ["dead", "cancelled"];

/** Whether an operator may run a job again or at once. Operations refuse by it, and answers name it. */
export const mayRetry = ({ state }: Pick<Job, "state">): boolean =>
  state === "scheduled" || givenUpStates.includes(state);

/** The same for its end. A dead job can be cancelled only while it holds its order key. */
export const mayCancel = ({ state, holdsTurn }: Pick<Job, "state" | "holdsTurn">): boolean =>
  jobMoves.some(({ from, to }) => to.includes("cancelled") && from.includes(state)) && (state !== "dead" || holdsTurn);

/**
 * The states of an event in which an operator may replay or discard it. A processed event is replayed only by force. Of a dead event, another job may
 * still be to run, and then it cannot be discarded.
 */
export const eventActions = {
  replay: ["dead", "cancelled", "quarantined", "ignored", "discarded", "processed"],
  discard: ["dead", "cancelled", "ignored", "quarantined"],
} as const satisfies Readonly<Record<string, readonly EventState[]>>;

/** Whether a list of states includes one, which may be any. */
export const includesState = <State extends string>(states: readonly State[], state: string): state is State =>
  states.some((one) => one === state);

/** The state of a job that waits and has the turn, or needs none. */
export const waitingState = (dueAt: number | null | undefined): "ready" | "scheduled" =>
  dueAt === undefined || dueAt === null ? "ready" : "scheduled";

/** Whether a job runs again after this end. */
export const runsAgain = ({ to }: JobEnd): boolean => to === "scheduled" || to === "snoozed" || to === "ready";

/** Whether nothing follows this end. */
export const isFinal = ({ to }: JobEnd): boolean => to === "done" || to === "dead" || to === "cancelled";

/**
 * The end that is written instead of the wanted one. A job that has committed is done, whatever
 * happened to it since. A job that somebody asked to cancel does not run again.
 */
export const effectiveEnd = (
  wanted: JobEnd,
  { committed, cancelAsked }: { readonly committed: boolean; readonly cancelAsked: boolean },
): JobEnd => {
  if (committed) return { to: "done" };
  return cancelAsked && runsAgain(wanted) ? { to: "cancelled" } : wanted;
};

/** The state that follows from an end. */
export const stateAfter = ({ to }: JobEnd): JobState => {
  if (to === "committed") return "running";
  return to === "snoozed" ? "scheduled" : to;
};

/** Whether the attempt counts: not for a job that was given back or snoozed. */
export const attemptCounts = ({ to }: JobEnd): boolean => to !== "ready" && to !== "snoozed";

/** Whether a job keeps the turn of its order key after this end. */
export const keepsTurn = ({ to }: JobEnd, { onRetry, onDead }: Required<OrderRules>): boolean => {
  if (to === "ready" || to === "committed") return true;
  if (to === "scheduled" || to === "snoozed") return onRetry === "keep";
  return to === "dead" && onDead === "hold";
};

/**
 * How a job continues after its runner has died. A job is not to blame for the end of a runner that
 * had been told to stop, unless it is a suspect: then it ran alone.
 */
export const afterLoss = (
  job: { readonly losses: number; readonly suspect: boolean },
  runner: { readonly stopping: boolean },
  { now, maxLosses, suspectLosses, delayMs }: RecoveryPolicy,
): { readonly losses: number; readonly suspect: boolean; readonly end: JobEnd } => {
  if (runner.stopping && !job.suspect) {
    return {
      losses: job.losses,
      suspect: false,
      end: { to: "scheduled", at: now, error: "its runner was stopped while it ran" },
    };
  }
  const losses = job.losses + 1;
  const error = `its runner died ${losses} ${losses === 1 ? "time" : "times"} while it ran`;
  const end: JobEnd =
    losses >= maxLosses ? { to: "dead", error } : { to: "scheduled", at: now + delayMs(losses), error };
  return { losses, suspect: losses >= suspectLosses, end };
};

/** The facts about the current jobs of an event that are in one state. */
export interface JobTally {
  readonly state: JobState;
  /** One of them has run before. */
  readonly tried: boolean;
}

/**
 * The event is in `state` when one of its current jobs is in one of `jobs`, and has run before
 * where `tried` says so.
 */
interface EventStateRule {
  readonly state: EventState;
  readonly jobs: readonly JobState[];
  readonly tried?: boolean;
}

/**
 * The state of an accepted event, from its current jobs: those that no replay has replaced. The
 * first rule that fits decides; an event whose jobs fit none, or that has none, is `processed`.
 * `docs/states.md` shows the same rows.
 */
export const eventStateRules: readonly EventStateRule[] = [
  { state: "processing", jobs: ["running"] },
  { state: "dead", jobs: ["dead"] },
  { state: "retrying", jobs: waitingStates, tried: true },
  { state: "received", jobs: waitingStates },
  { state: "cancelled", jobs: ["cancelled"] },
];

export const eventStateOf = (disposition: EventDisposition, tallies: readonly JobTally[]): EventState => {
  if (disposition !== "accepted") return disposition;
  const fits = ({ jobs, tried = false }: EventStateRule): boolean =>
    tallies.some((one) => jobs.includes(one.state) && (one.tried || !tried));
  return eventStateRules.find(fits)?.state ?? "processed";
};
