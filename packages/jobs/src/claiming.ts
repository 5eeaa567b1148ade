import type { Ports } from "@postern/core";
import type { ClaimedJob, ClaimRequest, Clock, Lease, QueueLimits, StoredEvent } from "@postern/core/ports";
import { isAway, type JobEnds } from "./job-ends.ts";
import type { FreeSlotSource, SenderShares } from "./local-handoff.ts";
import { type QueueShare, queueShare } from "./queue-share.ts";
import type { Registration } from "./registration.ts";
import type { Runs } from "./runs.ts";

/** The free slots of a worker, as the limits of its queues divide them. */
export interface FreeSlots {
  /** The queues that are worked. */
  readonly names: readonly string[];
  /**
   * The queues that are worked, beginning with another one in each call, so that no queue takes all
   * slots forever.
   */
  inRotation(): readonly string[];
  /** How many jobs of the queue may start here now; 0 or less for none. */
  free(queue: string): number;
  /** Whether the queue's rate allows one more job now. */
  rateAllows(queue: string): boolean;
  /** Notes that this many jobs of the queue were started. */
  took(queue: string, jobs: number): void;
  /**
   * Reserves up to `most` free slots for jobs of the queue that are just being stored. Returns how
   * many.
   */
  reserve(queue: string, most: number): number;
  release(queue: string, jobs: number): void;
  /** How many slots are reserved for jobs that are just being stored. */
  readonly reserved: number;
  /** The limit over all runners, in the form that a claim takes. */
  limitOf(queue: string): Pick<ClaimRequest, "globalLimit">;
  /** Milliseconds until a rate allows one more job; `undefined` if no rate holds a job back. */
  waitMs(): number | undefined;
  /** How many processes share the rates of the queues. */
  shareAmong(processes: number): void;
}

interface Queue {
  readonly share: QueueShare;
  readonly globalLimit: number | undefined;
  reserved: number;
}

export const createFreeSlots = (
  clock: Clock,
  runs: Pick<Runs, "size" | "countIn">,
  concurrency: number,
  limitsOf: ReadonlyMap<string, QueueLimits>,
): FreeSlots => {
  const queues = new Map<string, Queue>();
  for (const [name, limits] of limitsOf) {
    queues.set(name, { share: queueShare(clock, limits), globalLimit: limits.globalConcurrency, reserved: 0 });
  }
  const names = [...queues.keys()];
  let processes = 1;
  let first = 0;
  let reserved = 0;

  const free = (name: string): number => {
    const queue = queues.get(name);
    if (queue === undefined) return 0;
    return Math.min(
      concurrency - runs.size - reserved,
      queue.share.free(runs.countIn(name) + queue.reserved, processes),
    );
  };

  return {
    names,
    inRotation: () => {
      first = (first + 1) % names.length;
      return [...names.slice(first), ...names.slice(0, first)];
    },
    free,
    rateAllows: (name) => queues.get(name)?.share.waitMs(processes) === 0,
    took: (name, jobs) => queues.get(name)?.share.took(jobs),
    reserve: (name, most) => {
      const queue = queues.get(name);
      // Code that stores jobs does not count what runs in other processes; claims do.
      if (queue === undefined || queue.globalLimit !== undefined) return 0;
      const jobs = Math.max(0, Math.min(free(name), most));
      queue.reserved += jobs;
      reserved += jobs;
      return jobs;
    },
    release: (name, jobs) => {
      const queue = queues.get(name);
      if (queue === undefined) return;
      queue.reserved -= jobs;
      reserved -= jobs;
    },
    get reserved() {
      return reserved;
    },
    limitOf: (name) => {
      const globalLimit = queues.get(name)?.globalLimit;
      return globalLimit === undefined ? {} : { globalLimit };
    },
    waitMs: () => {
      const waits = [...queues.values()].map(({ share }) => share.waitMs(processes)).filter((wait) => wait > 0);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    shareAmong: (count) => {
      processes = count;
    },
  };
};

/** The two ways in which jobs come to a worker: by claims, and with the commit that stores them. */
export interface Claiming {
  /** Claims jobs of a queue and starts them. Returns how many. */
  claim(queue: string, limit: number, pick: ClaimRequest["pick"]): Promise<readonly ClaimedJob[]>;
  /**
   * Notes that this runner may hold jobs that do not run here. They are given back before the next
   * claim.
   */
  doubt(): void;
  /** Whether all that this runner holds is known here. */
  readonly isSure: boolean;
  /** Whether the job was claimed here a moment ago and is about to start. */
  isStarting(lease: Lease): boolean;
  /** Free slots for jobs that are just being stored. */
  readonly source: FreeSlotSource;
}

interface ClaimingParts {
  readonly kinds: readonly string[];
  readonly registration: Pick<Registration, "runnerId" | "isIdle" | "woken">;
  readonly freeSlots: FreeSlots;
  readonly runs: Runs;
  readonly ends: Pick<JobEnds, "write" | "owes" | "giveBack">;
  /** Tells whether jobs may start now without a claim, and whether the worker is about to stop. */
  readonly mode: () => "working" | "busy" | "stopping";
  readonly shares: Pick<SenderShares, "emptied">;
}

export const createClaiming = (
  { storage, clock, telemetry, wakeup }: Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">,
  { kinds, registration, freeSlots, runs, ends, mode, shares }: ClaimingParts,
): Claiming => {
  /** True while it is unknown which jobs a claim took. */
  let unsure = false;
  /** Jobs whose events are being read. */
  const starting = new Set<ClaimedJob>();

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
      const { runnerId, isIdle: endsIdle } = registration;
      const request = { ...freeSlots.limitOf(queue), queue, limit, pick, kinds, runnerId, now: clock.now(), endsIdle };
      const jobs = await storage.jobs.claim(request).catch((thrown: unknown) => {
        unsure = true;
        throw thrown;
      });
      if (endsIdle && jobs.length > 0) {
        registration.woken();
        // The others have to look after this runner again, as long as it runs jobs.
        wakeup.notify();
      }
      for (const job of jobs) starting.add(job);
      try {
        startAll(jobs, await eventsOf(jobs));
      } catch (thrown) {
        await giveBack(jobs);
        throw thrown;
      } finally {
        for (const job of jobs) starting.delete(job);
      }
      freeSlots.took(queue, jobs.length);
      // A claim that finds nothing does not tell: the queue may be paused.
      const takesAll = pick === "priority" && request.globalLimit === undefined;
      if (takesAll && jobs.length > 0 && jobs.length < limit) shares.emptied(queue);
      return jobs;
    },
    get isSure() {
      return !unsure && starting.size === 0;
    },
    doubt: () => {
      unsure = true;
    },
    isStarting: ({ id, lease }) => [...starting].some((job) => job.id === id && job.lease === lease),
    source: {
      reserve: (queue, most) => {
        // The claim that ends idleness tells the others.
        if (unsure || registration.isIdle || mode() !== "working") return undefined;
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
