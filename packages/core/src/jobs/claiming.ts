import type { StoredEvent } from "../ports/event-store.ts";
import type { Ports } from "../ports/index.ts";
import type { ClaimedJob } from "../ports/job.ts";
import type { ClaimRequest } from "../ports/job-queue.ts";
import type { FreeSlots } from "./free-slots.ts";
import { isAway, type JobEnds } from "./job-ends.ts";
import type { FreeSlotSource, SenderShares } from "./local-handoff.ts";
import type { Registration } from "./registration.ts";
import type { Runs } from "./runs.ts";

/** The two ways in which jobs come to a worker: by claims, and with the commit that stores them. */
export interface Claiming {
  /** Claims jobs of a queue and starts them. Returns how many. */
  claim(queue: string, limit: number, pick: ClaimRequest["pick"]): Promise<readonly ClaimedJob[]>;
  /**
   * Notes that this runner may hold jobs that do not run here. They are given back before the next
   * claim.
   */
  doubt(): void;
  /** Free slots for jobs that are just being stored. */
  readonly source: FreeSlotSource;
}

interface ClaimingParts {
  readonly kinds: readonly string[];
  readonly registration: Pick<Registration, "runnerId">;
  readonly freeSlots: FreeSlots;
  readonly runs: Runs;
  readonly ends: Pick<JobEnds, "write" | "owes" | "giveBack">;
  /** Tells whether jobs may start now without a claim, and whether the worker is about to stop. */
  readonly mode: () => "working" | "busy" | "stopping";
  readonly shares: Pick<SenderShares, "emptied">;
}

export const createClaiming = (
  { storage, clock, telemetry }: Pick<Ports, "storage" | "clock" | "telemetry">,
  { kinds, registration, freeSlots, runs, ends, mode, shares }: ClaimingParts,
): Claiming => {
  /** True while it is unknown which jobs a claim took. */
  let unsure = false;

  const eventsOf = async (jobs: readonly ClaimedJob[]): Promise<ReadonlyMap<number, StoredEvent>> => {
    const ids = jobs.flatMap((job) => job.eventId ?? []);
    if (ids.length === 0) return new Map();
    return new Map((await storage.events.load(ids)).map((event) => [event.id, event]));
  };

  const startAll = (jobs: readonly ClaimedJob[], events: ReadonlyMap<number, StoredEvent> | undefined): void => {
    for (const job of jobs) runs.start(job, events?.get(job.eventId ?? -1));
  };

  const giveBack = async (jobs: readonly ClaimedJob[]): Promise<void> => {
    await Promise.all(jobs.map((job) => ends.write(job, { to: "ready" })));
  };

  /**
   * Gives back the jobs that this runner holds but does not run: those of a claim whose answer was
   * lost, and those whose end could not be written. Otherwise they would not run again as long as
   * this process lives.
   */
  const giveBackStrays = async (): Promise<void> => {
    const ours = await storage.runners.running(registration.runnerId);
    const strays = ours.filter((lease) => !runs.has(lease) && !ends.owes(lease));
    const given = await Promise.allSettled(strays.map(ends.giveBack));
    for (const one of given) {
      if (one.status === "fulfilled") continue;
      if (isAway(one.reason)) throw one.reason;
      // The job does not block claims. It waits until this runner ends.
      telemetry.log("error", "a job could not be given back", {}, one.reason);
    }
    unsure = false;
  };

  return {
    claim: async (queue, limit, pick = "priority") => {
      // Jobs that are just being stored for this runner do not run yet, but must not be given back.
      if (unsure && freeSlots.reserved === 0) await giveBackStrays();
      const { runnerId } = registration;
      const request = { ...freeSlots.limitOf(queue), queue, limit, pick, kinds, runnerId, now: clock.now() };
      const jobs = await storage.jobs.claim(request).catch((thrown: unknown) => {
        unsure = true;
        throw thrown;
      });
      const events = await eventsOf(jobs).catch(async (thrown: unknown) => {
        await giveBack(jobs);
        throw thrown;
      });
      startAll(jobs, events);
      freeSlots.took(queue, jobs.length);
      // A claim that finds nothing does not tell: the queue may be paused.
      const takesAll = pick === "priority" && request.globalLimit === undefined;
      if (takesAll && jobs.length > 0 && jobs.length < limit) shares.emptied(queue);
      return jobs;
    },
    doubt: () => {
      unsure = true;
    },
    source: {
      reserve: (queue, most) => {
        if (unsure || mode() !== "working") return undefined;
        const limit = freeSlots.reserve(queue, most);
        if (limit < 1) return undefined;
        return {
          offer: { runnerId: registration.runnerId, queue, limit, kinds },
          start: (claimed, events) => {
            freeSlots.release(queue, limit);
            freeSlots.took(queue, claimed.length);
            // Jobs are handed out with their commit only if no other job of the queue is ready.
            if (claimed.length > 0) shares.emptied(queue);
            if (mode() === "stopping") void giveBack(claimed);
            else startAll(claimed, events);
          },
          fail: () => {
            freeSlots.release(queue, limit);
            unsure = true;
          },
        };
      },
    },
  };
};
