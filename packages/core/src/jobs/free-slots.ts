import type { Clock } from "../ports/clock.ts";
import type { ClaimRequest } from "../ports/job-queue.ts";
import type { QueueLimits } from "../ports/runners.ts";
import { type QueueShare, queueShare } from "./queue-share.ts";
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
