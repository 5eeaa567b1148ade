import type { Ports } from "../ports/index.ts";
import type { ClaimedJob, Lease } from "../ports/job.ts";
import type { Claiming } from "./claiming.ts";
import type { QueueSlots } from "./queue-slots.ts";
import type { Runs } from "./runs.ts";

/**
 * Runs suspects alone. A suspect is a job that was there when two runners died: if it kills a
 * third, no innocent job goes with it.
 */
export interface Suspects {
  /**
   * `draining`: a suspect waits until nothing else runs here. `alone`: it runs. `none`: there is no
   * suspect to care for.
   */
  readonly mode: "none" | "draining" | "alone";
  /**
   * Looks whether a suspect waits that may run now, as far as the pauses and limits of its queue tell. Only then the
   * worker is drained for it. Call it often: what has changed since ends a drain.
   */
  look(): Promise<void>;
  /** Starts the suspect that waits, once nothing else runs here; how many it started. */
  start(): Promise<number>;
}

const isSame = (one: Lease | undefined, other: Lease): boolean => one?.id === other.id && one.lease === other.lease;

export const createSuspects = (
  { storage, wakeup }: Pick<Ports, "storage" | "wakeup">,
  kinds: readonly string[],
  { slots, runs, claiming }: { readonly slots: QueueSlots; readonly runs: Runs; readonly claiming: Claiming },
): Suspects => {
  /** A queue where a suspect waits. */
  let waitingIn: string | undefined;
  let alone: ClaimedJob | undefined;
  runs.onEnd((job) => {
    if (isSame(alone, job)) alone = undefined;
  });

  return {
    get mode() {
      if (alone !== undefined) return "alone";
      return waitingIn === undefined ? "none" : "draining";
    },
    look: async () => {
      if (alone !== undefined) return;
      const mayRun: string[] = [];
      for (const queue of slots.names) {
        const request = { ...slots.limitOf(queue), queue, kinds, pick: "suspects" as const };
        if (slots.rateAllows(queue) && (await storage.jobs.canClaim(request))) mayRun.push(queue);
      }
      const wasDraining = waitingIn !== undefined;
      // One that was taken, or may not run any more, holds up nothing.
      if (waitingIn === undefined || !mayRun.includes(waitingIn)) [waitingIn] = mayRun;
      if (wasDraining && waitingIn === undefined) wakeup.notify();
    },
    start: async () => {
      if (waitingIn === undefined || runs.size > 0) return 0;
      const [suspect] = await claiming.claim(waitingIn, 1, "suspects");
      waitingIn = undefined;
      alone = suspect !== undefined && runs.has(suspect) ? suspect : undefined;
      return suspect === undefined ? 0 : 1;
    },
  };
};
