import type { NewJob } from "@postern/core";
import type { ClaimedJob, RunnerOffer, StoredEvent, Wakeup } from "@postern/core/ports";

/** Slots that are reserved for jobs that are just being stored. */
interface Reservation {
  readonly offer: RunnerOffer;
  /**
   * Call this when the jobs are stored: those that were handed out start now. `events` contains the
   * events that they are about, by number.
   */
  start(claimed: readonly ClaimedJob[], events?: ReadonlyMap<number, StoredEvent>): void;
  /** Call this when it is unknown what happened to the jobs. */
  fail(): void;
}

/** A worker of this process that takes jobs with the commit that stores them. */
export interface FreeSlotSource {
  /** Keeps up to `most` free slots for jobs of the queue; `undefined` when there is none. */
  reserve(queue: string, most: number): Reservation | undefined;
}

/** The answer of a store that has stored jobs for an offer of free slots. */
interface StoredJobs<Result> {
  readonly result: Result;
  /** The jobs that were handed out for the offer; `undefined` if that is unknown. */
  readonly claimed: readonly ClaimedJob[] | undefined;
  /** The events that the claimed jobs are about, by number. */
  readonly events?: ReadonlyMap<number, StoredEvent>;
}

/** Lets code that stores jobs hand them directly to an idle worker in this process. */
export interface LocalHandoff {
  /** What the senders of webhooks have stored. The worker tells when a queue is empty. */
  readonly shares: SenderShares;
  /** From now on this worker is asked for free slots. */
  open(source: FreeSlotSource): void;
  close(source: FreeSlotSource): void;
  /**
   * Stores jobs with `store`. The offer has free slots for jobs of the first job's queue; it is
   * `undefined` when no worker here has one. What the store hands out for it starts at once; other
   * runners are told of the rest.
   * @throws what `store` throws. Jobs that it may have handed out all the same are then found by
   *   the worker.
   */
  store<Result>(
    jobs: readonly NewJob[],
    wakeup: Pick<Wakeup, "notify">,
    store: (offer: RunnerOffer | undefined) => Promise<StoredJobs<Result>>,
  ): Promise<Result>;
}

export const createLocalHandoff = (): LocalHandoff => {
  const sources = new Set<FreeSlotSource>();

  return {
    shares: createSenderShares(sources),
    open: (source) => void sources.add(source),
    close: (source) => void sources.delete(source),
    store: async (jobs, wakeup, store) => {
      // An offer names one queue. The queue of the first job is as good as any other.
      const queue = jobs[0] === undefined ? undefined : queueOf(jobs[0]);
      let most = 0;
      for (const job of jobs) if (queueOf(job) === queue) most += 1;
      let reservation: Reservation | undefined;
      if (queue !== undefined) for (const source of sources) reservation ??= source.reserve(queue, most);
      const stored = await store(reservation?.offer).catch((thrown: unknown) => {
        reservation?.fail();
        throw thrown;
      });
      const { result, claimed, events } = stored;
      if (claimed === undefined) reservation?.fail();
      else reservation?.start(claimed, events);
      if ((claimed?.length ?? 0) < jobs.length) wakeup.notify();
      return result;
    },
  };
};

/**
 * How many waiting jobs of a sender put its next ones behind those of the others: beyond the first
 * number by one step of priority, beyond the second by two, and so on.
 */
const steps = [10, 100, 1_000, 10_000, 100_000];

/** 32,767 is the largest priority that can be stored. */
const largestPriority = 32_767;

/**
 * Keeps a sender that sends very much from making the jobs of all others wait: the more jobs of a
 * sender were stored since their queue was last empty, the later its next ones run.
 *
 * The jobs of one sender stay in their order, because a step is only taken back when the queue is
 * empty. Where workers keep up with what comes, no step is taken at all. Each process counts what
 * it stores itself. A process without a worker counts nothing, because nobody tells it when the
 * queue is empty.
 */
export interface SenderShares {
  /** The job with the priority that it gets. It is the same object if that is the job's own. */
  placed(sender: string, job: NewJob): NewJob;
  /** Notes that a job of the sender was stored. */
  stored(sender: string, job: NewJob): void;
  /** Notes that no job of the queue is ready any more. All senders begin anew. */
  emptied(queue: string): void;
}

const queueOf = ({ queue = "default" }: NewJob): string => queue;

/** `workers` are those of this process. */
const createSenderShares = (workers: ReadonlySet<unknown>): SenderShares => {
  /** By queue, how many jobs of each sender were stored since the queue was last empty. */
  const counts = new Map<string, Map<string, number>>();

  return {
    placed: (sender, job) => {
      if (workers.size === 0) return job;
      const count = counts.get(queueOf(job))?.get(sender) ?? 0;
      let step = 0;
      while (count >= (steps[step] ?? Number.POSITIVE_INFINITY)) step += 1;
      return step === 0 ? job : { ...job, priority: Math.min(largestPriority, (job.priority ?? 0) + step) };
    },
    stored: (sender, job) => {
      if (workers.size === 0) return;
      const queue = queueOf(job);
      const bySender = counts.get(queue) ?? new Map<string, number>();
      counts.set(queue, bySender);
      bySender.set(sender, (bySender.get(sender) ?? 0) + 1);
    },
    emptied: (queue) => void counts.delete(queue),
  };
};
