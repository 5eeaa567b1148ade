import type { Ports } from "@postern/core";
import type { DatabaseClock } from "./database-clock.ts";

/** Makes jobs ready whose time has come. */
export interface DueJobs {
  /**
   * Looks for jobs that are due, about once a second, and at the time of the next one that is
   * known.
   */
  promote(): Promise<void>;
  /**
   * Notes that a job is due at this time, so that the next search comes no later. Returns the
   * milliseconds until then.
   */
  expect(at: number): number;
  /** Forgets when the next job is due: the next call of `promote` looks. */
  forget(): void;
  /** Milliseconds until the next job is due; `undefined` when none waits for its time. */
  waitMs(): Promise<number | undefined>;
}

/** How often due jobs are looked for while there is other work. */
const lookEveryMs = 1000;

/** `time` decides which jobs are due. */
export const createDueJobs = (
  { storage, clock }: Pick<Ports, "storage" | "clock">,
  time: Pick<DatabaseClock, "now">,
): DueJobs => {
  let lookFrom = 0;

  const expect = (at: number): number => {
    const wait = Math.max(at - time.now(), 0);
    lookFrom = Math.min(lookFrom, clock.monotonic() + wait);
    return wait;
  };

  return {
    promote: async () => {
      if (clock.monotonic() < lookFrom) return;
      lookFrom = clock.monotonic() + lookEveryMs;
      await storage.jobs.promoteDue(time.now());
    },
    expect,
    forget: () => {
      lookFrom = 0;
    },
    waitMs: async () => {
      const due = await storage.jobs.nextDueAt();
      return due === undefined ? undefined : expect(due);
    },
  };
};
