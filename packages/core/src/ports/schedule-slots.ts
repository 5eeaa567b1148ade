import type { NewJob } from "./job.ts";

/** A time at which a schedule fires. */
interface FiredSlot {
  /** The schedule. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly slot: number;
  readonly job: NewJob;
}

/**
 * The times at which schedules have fired. Driven port; `jobStoreContract` is its definition in
 * code.
 */
export interface ScheduleSlots {
  /**
   * Takes a time of a schedule and enqueues its job, in one transaction. False if the time was
   * taken before: of all processes that try, one gets it.
   */
  fire(fired: FiredSlot, now: number): Promise<boolean>;
  /** The newest time of the schedule that was taken. */
  last(name: string): Promise<number | undefined>;
}
