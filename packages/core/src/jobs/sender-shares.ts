import type { NewJob } from "../ports/job.ts";

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

export const queueOf = ({ queue = "default" }: NewJob): string => queue;

/** `hasWorker` tells whether a worker runs in this process. */
export const createSenderShares = (hasWorker: () => boolean): SenderShares => {
  /** By queue, how many jobs of each sender were stored since the queue was last empty. */
  const counts = new Map<string, Map<string, number>>();

  return {
    placed: (sender, job) => {
      const count = counts.get(queueOf(job))?.get(sender) ?? 0;
      let step = 0;
      while (count >= (steps[step] ?? Number.POSITIVE_INFINITY)) step += 1;
      return step === 0 ? job : { ...job, priority: Math.min(largestPriority, (job.priority ?? 0) + step) };
    },
    stored: (sender, job) => {
      if (!hasWorker()) return;
      const queue = queueOf(job);
      const bySender = counts.get(queue) ?? new Map<string, number>();
      counts.set(queue, bySender);
      bySender.set(sender, (bySender.get(sender) ?? 0) + 1);
    },
    emptied: (queue) => void counts.delete(queue),
  };
};
