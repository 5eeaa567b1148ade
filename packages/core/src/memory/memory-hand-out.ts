import type { ClaimedJob, NewJob } from "../ports/job.ts";
import type { ClaimRequest, RunnerOffer } from "../ports/job-queue.ts";
import { type JobTables, type MemoryJob, putMemoryJob } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

/** True if the call that stores the job may hand it out. */
const isPlain = ({ dueAt, orderKey, unique }: NewJob): boolean =>
  dueAt === undefined && orderKey === undefined && unique === undefined;

const byAge = (left: MemoryJob, right: MemoryJob): number => left.readyOrder - right.readyOrder;

const claimOrder = (left: MemoryJob, right: MemoryJob): number => left.priority - right.priority || byAge(left, right);

/** Hands jobs to runners. */
export const memoryHandOut = (tables: JobTables, journal: Journal) => {
  const { jobs, runners, paused, nextToken } = tables;

  /** The jobs that a claim may take, best first. */
  const candidates = (request: Omit<ClaimRequest, "runnerId" | "limit" | "now">): MemoryJob[] => {
    const { queue, kinds, pick = "priority", globalLimit = Number.POSITIVE_INFINITY } = request;
    if (paused.has(queue)) return [];
    const running = [...jobs.values()].filter((job) => job.state === "running" && job.queue === queue).length;
    const ready = [...jobs.values()]
      .filter((job) => job.state === "ready" && job.queue === queue && job.suspect === (pick === "suspects"))
      .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
      .toSorted(claimOrder);
    const [oldest] = ready.toSorted(byAge);
    return ready
      .filter(({ priority }) => pick !== "arrival" || priority === oldest?.priority)
      .slice(0, Math.max(0, globalLimit - running));
  };

  const take = (job: MemoryJob, runnerId: number, now: number): ClaimedJob => {
    const lease = nextToken();
    putMemoryJob(tables, journal, {
      ...job,
      state: "running",
      attempt: job.attempt + 1,
      runnerId,
      lease,
      startedAt: now,
      dueAt: undefined,
    });
    const { id, kind, queue, attempt, maxAttempts, losses, eventId, payload, createdAt } = job;
    const isOrdered = job.orderKey !== undefined;
    return {
      id,
      lease,
      kind,
      queue,
      attempt: attempt + 1,
      maxAttempts,
      losses,
      eventId,
      isOrdered,
      payload,
      createdAt,
    };
  };

  return {
    candidates,
    take,
    /**
     * Call this before the jobs are stored. The returned function then hands out the best of the
     * stored ones.
     */
    fresh: ({ runnerId, queue, limit, kinds }: RunnerOffer, now: number) => {
      const isFree =
        candidates({ queue, ...(kinds === undefined ? {} : { kinds }) }).length === 0 &&
        !paused.has(queue) &&
        runners.get(runnerId)?.dead !== true;
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
