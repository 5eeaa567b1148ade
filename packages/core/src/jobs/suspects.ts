import type { Ports } from "../ports/index.ts";
import type { ClaimedJob } from "../ports/job.ts";
import type { Claiming } from "./claiming.ts";
import type { FreeSlots } from "./free-slots.ts";
import type { Runs } from "./runs.ts";

/**
 * Runs suspects alone. A suspect is a job that was running when two runners died. If it kills a
 * third runner, it takes no innocent job with it.
 */
export interface Suspects {
  /**
   * `draining`: a suspect waits until nothing else runs here. `alone`: it runs. `none`: no suspect
   * waits or runs.
   */
  readonly mode: "none" | "draining" | "alone";
  /**
   * Looks for a waiting suspect that may run now by the pauses and limits of its queue. Only then
   * is the worker drained for it. Call it often: the drain ends as soon as the suspect is gone or
   * may not run any more.
   */
  look(): Promise<void>;
  /** Starts the waiting suspect once nothing else runs here. Returns how many jobs it started. */
  start(): Promise<number>;
}

export const createSuspects = (
  { storage, wakeup }: Pick<Ports, "storage" | "wakeup">,
  kinds: readonly string[],
  { freeSlots, runs, claiming }: { readonly freeSlots: FreeSlots; readonly runs: Runs; readonly claiming: Claiming },
): Suspects => {
  /** A queue where a suspect waits. */
  let waitingIn: string | undefined;
  let alone: ClaimedJob | undefined;
  runs.onEnd((job) => {
    if (alone?.id === job.id && alone.lease === job.lease) alone = undefined;
  });

  return {
    get mode() {
      if (alone !== undefined) return "alone";
      return waitingIn === undefined ? "none" : "draining";
    },
    look: async () => {
      if (alone !== undefined) return;
      const mayRun: string[] = [];
      for (const queue of freeSlots.names) {
        const request = { ...freeSlots.limitOf(queue), queue, kinds, pick: "suspects" as const };
        if (freeSlots.rateAllows(queue) && (await storage.jobs.canClaim(request))) mayRun.push(queue);
      }
      const wasDraining = waitingIn !== undefined;
      // A suspect that another process has taken, or that may not run any more, blocks nothing.
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
