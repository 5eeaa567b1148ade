import type { ClaimedJob, NewJob } from "../ports/job.ts";
import type { ClaimRequest, SlotOffer } from "../ports/job-queue.ts";
import type { JobTables, MemoryJob } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

/** May be handed out by the very call that stores it. */
const isPlain = ({ dueAt, orderKey, unique }: NewJob): boolean =>
  dueAt === undefined && orderKey === undefined && unique === undefined;

const claimOrder = (left: MemoryJob, right: MemoryJob): number => left.priority - right.priority || left.id - right.id;

/** How jobs are handed to runners. */
export const memoryHandOut = ({ jobs, runners, paused, nextId }: JobTables, journal: Journal) => {
  const candidates = ({ queue, pick = "priority" }: Pick<ClaimRequest, "queue" | "pick">): MemoryJob[] => {
    if (paused.has(queue)) return [];
    const ready = [...jobs.values()]
      .filter((job) => job.state === "ready" && job.queue === queue && job.suspect === (pick === "suspects"))
      .toSorted(claimOrder);
    if (pick !== "arrival") return ready;
    const oldest = ready.reduce<MemoryJob | undefined>(
      (first, job) => (first && first.id < job.id ? first : job),
      undefined,
    );
    return ready.filter(({ priority }) => priority === oldest?.priority);
  };

  const take = (job: MemoryJob, runnerId: number, now: number): ClaimedJob => {
    const lease = nextId();
    journal.set(jobs, job.id, {
      ...job,
      state: "running",
      attempt: job.attempt + 1,
      runnerId,
      lease,
      startedAt: now,
      dueAt: undefined,
    });
    const { id, kind, queue, attempt, maxAttempts, losses, eventId, payload, createdAt } = job;
    return { id, lease, kind, queue, attempt: attempt + 1, maxAttempts, losses, eventId, payload, createdAt };
  };

  return {
    candidates,
    take,
    /** Ask before the jobs are stored; then it hands out the best of those that were. */
    fresh: ({ runnerId, queue, limit }: SlotOffer, now: number) => {
      const isFree = candidates({ queue }).length === 0 && !paused.has(queue) && runners.get(runnerId)?.dead !== true;
      return (stored: readonly (readonly [id: number, job: NewJob])[]): readonly ClaimedJob[] => {
        if (!isFree) return [];
        return stored
          .flatMap(([id, job]) => (isPlain(job) ? (jobs.get(id) ?? []) : []))
          .filter((job) => job.queue === queue)
          .toSorted(claimOrder)
          .slice(0, limit)
          .map((job) => take(job, runnerId, now));
      };
    },
  };
};
