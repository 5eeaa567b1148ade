import type { NewJob } from "./job.ts";

/** A time at which a schedule fires. */
interface FiredSlot {
  /** The schedule. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly slot: number;
  readonly job: NewJob;
}

/** What is stored about a schedule beside its times. */
export interface ScheduleState {
  readonly name: string;
  /** Its newest job: of a time of its own, or of `run`. */
  readonly lastJob: number | undefined;
  /** Since when it is paused; `undefined` while it is not. */
  readonly pausedAt: number | undefined;
  /** Why it is paused, in the words of the operator who paused it. */
  readonly note: string | undefined;
  /** When a process first looked at it; `undefined` if that is not known. */
  readonly seenAt: number | undefined;
  /** When its last pause ended. The times before are over. */
  readonly resumedAt: number | undefined;
}

/**
 * The times at which schedules have fired, and their pauses. Driven port; `jobStoreContract` is its
 * definition in code.
 */
export interface ScheduleSlots {
  /**
   * Takes a time of a schedule and enqueues its job, in one transaction. False if the time was
   * taken before, or if the schedule is paused: of all processes that try, one gets it.
   */
  fire(fired: FiredSlot, now: number): Promise<boolean>;
  /** The newest time of the schedule that was taken. */
  last(name: string): Promise<number | undefined>;
  /** Stores that these schedules are looked at now. Of several calls, the first one counts. */
  see(names: readonly string[], now: number): Promise<void>;
  /** Enqueues a job of the schedule beside its times, also while it is paused. Returns its id. */
  run(name: string, job: NewJob, now: number): Promise<number>;
  /** From now on no time of the schedule is taken. A pause that holds keeps its beginning. */
  pause(name: string, note: string | undefined, now: number): Promise<void>;
  /** Ends a pause. The times that came during it are not made up for. */
  resume(name: string, now: number): Promise<void>;
  /** Every schedule that has ever been looked at, run or been paused, by name. */
  states(): Promise<readonly ScheduleState[]>;
}
