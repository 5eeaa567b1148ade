import {
  type ClaimedJob,
  type ClaimRequest,
  type Job,
  type JobEnd,
  type JobFailure,
  type JobState,
  type JobStore,
  jobStates,
  type NewJob,
  type OrderRules,
  type QueueSummary,
  type RunnerRecord,
  type SlotOffer,
} from "../ports/job-store.ts";
import type { Journal } from "./journal.ts";

/** A job with what only the store knows of it. */
export interface MemoryJob extends Omit<Job, "holdsTurn">, Required<OrderRules> {
  /** Of all jobs of its order key, it is this one's turn. */
  readonly hasTurn: boolean;
  readonly payload: unknown;
  /** Until the job has ended. */
  readonly uniqueKey: string | undefined;
  readonly suspect: boolean;
  /** When it became ready, where that was not when it was stored. */
  readonly readyAt: number | undefined;
  readonly runnerId: number | undefined;
  readonly lease: number | undefined;
  /** The job that a replay put in this one's place. */
  readonly replacedBy: number | undefined;
}

export interface JobTables {
  readonly jobs: Map<number, MemoryJob>;
  readonly failures: Map<number, readonly JobFailure[]>;
  readonly runners: Map<number, RunnerRecord & { readonly dead: boolean; readonly beatAt: number }>;
  /** What jobs are about. */
  readonly events: ReadonlyMap<number, { readonly body: Uint8Array | undefined }>;
  /** Why a queue is paused, by its name. */
  readonly paused: Map<string, string | undefined>;
  /** When a schedule has fired, as `name slot`. */
  readonly slots: Map<string, { readonly name: string; readonly slot: number }>;
  /** Never used twice, not even after a rollback. */
  nextId(): number;
}

interface Origin {
  readonly eventId?: number | undefined;
  readonly replayOf?: number;
  readonly now: number;
}

const endedStates: ReadonlySet<JobState> = new Set(["done", "dead", "cancelled"]);
const hasEnded = ({ state }: Pick<Job, "state">): boolean => endedStates.has(state);

/** Stores a job, or leaves the one that has its unique key; the id of the one that is there now. */
export const insertMemoryJob = (
  { jobs, nextId }: Pick<JobTables, "jobs" | "nextId">,
  journal: Journal,
  job: NewJob,
  { eventId, replayOf, now }: Origin,
): number => {
  const all = [...jobs.values()];
  const holder = job.unique === undefined ? undefined : all.find(({ uniqueKey }) => uniqueKey === job.unique?.key);
  if (holder !== undefined) {
    const changed = merged(all, holder, job, now);
    if (changed !== holder) journal.set(jobs, holder.id, changed);
    return holder.id;
  }
  const id = nextId();
  const hasTurn = job.orderKey !== undefined && isFree(all, job.orderKey);
  journal.set(jobs, id, {
    id,
    eventId,
    kind: job.kind,
    queue: job.queue ?? "default",
    priority: job.priority ?? 0,
    orderKey: job.orderKey,
    uniqueKey: job.unique?.key,
    onRetry: job.onRetry ?? "keep",
    onDead: job.onDead ?? "release",
    hasTurn,
    state: job.orderKey !== undefined && !hasTurn ? "blocked" : waitingState(job.dueAt),
    attempt: 0,
    maxAttempts: job.maxAttempts,
    losses: 0,
    suspect: false,
    dueAt: job.dueAt,
    payload: job.payload,
    lastError: undefined,
    replayOf,
    replacedBy: undefined,
    cancelAt: undefined,
    readyAt: undefined,
    runnerId: undefined,
    lease: undefined,
    createdAt: now,
    startedAt: undefined,
    finishedAt: undefined,
  });
  return id;
};

/** Whether nobody has the turn of an order key. */
const isFree = (jobs: readonly MemoryJob[], orderKey: string): boolean =>
  !jobs.some((job) => job.hasTurn && job.orderKey === orderKey);

/** A job whose time has come: ready, or the next in line where others of its key went ahead. */
const comeDue = (jobs: readonly MemoryJob[], job: MemoryJob, now: number): MemoryJob => {
  const due = { ...job, dueAt: undefined, readyAt: now };
  if (job.orderKey === undefined || job.hasTurn) return { ...due, state: "ready" };
  return isFree(jobs, job.orderKey) ? { ...due, state: "ready", hasTurn: true } : { ...due, state: "blocked" };
};

const waitingState = (dueAt: number | undefined): JobState => (dueAt === undefined ? "ready" : "scheduled");

/** What becomes of a job when another with its unique key is enqueued. */
const merged = (
  jobs: readonly MemoryJob[],
  holder: MemoryJob,
  { unique, payload, dueAt }: NewJob,
  now: number,
): MemoryJob => {
  if (holder.state === "running") return holder;
  if (unique?.whenTaken === "replace") return { ...holder, payload };
  if (unique?.whenTaken !== "reschedule") return holder;
  if (holder.state === "blocked") return { ...holder, dueAt };
  return dueAt === undefined ? comeDue(jobs, holder, now) : { ...holder, dueAt, state: "scheduled" };
};

/** May be handed out by the very call that stores it. */
const isPlain = ({ dueAt, orderKey, unique }: NewJob): boolean =>
  dueAt === undefined && orderKey === undefined && unique === undefined;

const claimOrder = (left: MemoryJob, right: MemoryJob): number => left.priority - right.priority || left.id - right.id;

/** The same job, with nothing left of its claim but the lease, which tells whether its end was written. */
const ended = (job: MemoryJob, end: JobEnd, now: number): MemoryJob => {
  const free = { ...job, runnerId: undefined };
  const over = { ...free, uniqueKey: undefined, finishedAt: now };
  switch (end.to) {
    case "done":
      return { ...over, state: "done" };
    case "dead":
      return { ...over, state: "dead", lastError: end.error };
    case "cancelled":
      return { ...over, state: "cancelled" };
    case "scheduled":
      return { ...free, state: "scheduled", dueAt: end.at, lastError: end.error };
    case "snoozed":
      return { ...free, state: "scheduled", dueAt: end.at, attempt: job.attempt - 1 };
    case "ready":
      return { ...free, state: "ready", readyAt: now, attempt: job.attempt - 1 };
  }
};

const toJob = ({
  payload,
  uniqueKey,
  suspect,
  runnerId,
  lease,
  readyAt,
  replacedBy,
  onRetry,
  onDead,
  hasTurn,
  ...job
}: MemoryJob): Job => ({ ...job, holdsTurn: hasTurn && job.state === "dead" });

const runsAgain = ({ to }: JobEnd): boolean => to === "scheduled" || to === "snoozed" || to === "ready";

const lossText = (losses: number): string =>
  `its runner died ${losses} ${losses === 1 ? "time" : "times"} while it ran`;

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

export const memoryJobs = (tables: JobTables, journal: Journal): JobStore => {
  const { jobs, failures, runners, events, paused, slots, nextId } = tables;
  const { candidates, take, fresh } = memoryHandOut(tables, journal);
  const inState = (state: JobState): MemoryJob[] => [...jobs.values()].filter((job) => job.state === state);
  const put = (job: MemoryJob): void => journal.set(jobs, job.id, job);

  const passTurn = (orderKey: string, now: number): boolean => {
    const next = inState("blocked")
      .filter((other) => other.orderKey === orderKey)
      .reduce<MemoryJob | undefined>((first, other) => (first && first.id < other.id ? first : other), undefined);
    if (next !== undefined) put({ ...next, hasTurn: true, readyAt: now, state: waitingState(next.dueAt) });
    return next !== undefined;
  };
  /** Writes how a job goes on; when it gives its turn away, the next of its order key is no longer blocked. */
  const end = (job: MemoryJob, wanted: JobEnd, now: number): void => {
    const how: JobEnd = job.cancelAt !== undefined && runsAgain(wanted) ? { to: "cancelled" } : wanted;
    const waits = how.to === "scheduled" || how.to === "snoozed";
    const holds =
      job.hasTurn &&
      (how.to === "ready" || (waits && job.onRetry === "keep") || (how.to === "dead" && job.onDead === "hold"));
    put({ ...ended(job, how, now), hasTurn: holds });
    if ("error" in wanted) {
      const failure = { attempt: job.attempt, at: now, error: wanted.error };
      journal.set(failures, job.id, [...(failures.get(job.id) ?? []), failure]);
    }
    if (job.orderKey !== undefined && job.hasTurn && !holds) passTurn(job.orderKey, now);
  };

  return {
    enqueue: async (newJobs, now) => newJobs.map((job) => insertMemoryJob(tables, journal, job, { now })),
    enqueueFor: async (offer, newJobs, now) => {
      const handOut = fresh(offer, now);
      const stored = newJobs.map((job) => [insertMemoryJob(tables, journal, job, { now }), job] as const);
      return { ids: stored.map(([id]) => id), claimed: handOut(stored) };
    },
    claim: async (request) => {
      const { runnerId, limit, now, globalLimit = Number.POSITIVE_INFINITY } = request;
      if (runners.get(runnerId)?.dead === true) return [];
      const running = inState("running").filter(({ queue }) => queue === request.queue).length;
      return candidates(request)
        .slice(0, Math.max(0, Math.min(limit, globalLimit - running)))
        .map((job) => take(job, runnerId, now));
    },
    finish: async (outcomes, now) =>
      outcomes.map(({ job: { id, lease }, end: how }) => {
        const job = jobs.get(id);
        if (job === undefined || job.state !== "running" || job.lease !== lease) return false;
        end(job, how, now);
        return true;
      }),
    leaseState: async ({ id, lease }) => {
      const job = jobs.get(id);
      if (job?.lease !== lease) return "lost";
      return job.state === "running" ? "held" : "spent";
    },
    promoteDue: async (now) => {
      const due = inState("scheduled").filter((job) => (job.dueAt ?? 0) <= now);
      for (const job of due) put(comeDue([...jobs.values()], job, now));
      return due.length;
    },
    nextDueAt: async () => {
      const times = inState("scheduled").map((job) => job.dueAt ?? 0);
      return times.length === 0 ? undefined : times.reduce((least, time) => Math.min(least, time));
    },
    find: async (id) => {
      const job = jobs.get(id);
      return job === undefined ? undefined : toJob(job);
    },
    list: async ({ eventId, state, kind, queue, before, limit }) =>
      [...jobs.values()]
        .filter(
          (job) =>
            (eventId === undefined || job.eventId === eventId) &&
            (state === undefined || job.state === state) &&
            (kind === undefined || job.kind === kind) &&
            (queue === undefined || job.queue === queue) &&
            (before === undefined || job.id < before),
        )
        .toSorted((left, right) => right.id - left.id)
        .slice(0, limit)
        .map(toJob),
    failures: async (id, limit) => (failures.get(id) ?? []).slice(-limit),
    countByState: async () => {
      const counts: Record<string, number> = Object.fromEntries(Object.keys(jobStates).map((state) => [state, 0]));
      for (const { state } of jobs.values()) counts[state] = (counts[state] ?? 0) + 1;
      // Filled from the table of states just above.
      return counts as Record<JobState, number>;
    },
    cancel: async (id, now) => {
      const job = jobs.get(id);
      if (job === undefined || (hasEnded(job) && !job.hasTurn)) return undefined;
      if (job.state === "running") {
        put({ ...job, cancelAt: job.cancelAt ?? now });
        return "requested";
      }
      end(job, { to: "cancelled" }, now);
      return "cancelled";
    },
    repairTurns: async (now) => {
      const keys = new Set(inState("blocked").flatMap(({ orderKey }) => orderKey ?? []));
      return [...keys].filter((key) => isFree([...jobs.values()], key) && passTurn(key, now)).length;
    },
    runningOf: async (runnerId) =>
      inState("running").flatMap(({ id, lease, cancelAt, runnerId: owner }) =>
        owner === runnerId && lease !== undefined ? [{ id, lease, cancelAt }] : [],
      ),
    retry: async (id, now) => {
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      if (job.state === "scheduled") {
        put(comeDue([...jobs.values()], job, now));
        return id;
      }
      if ((job.state !== "dead" && job.state !== "cancelled") || job.replacedBy !== undefined) return undefined;
      if (job.eventId !== undefined && events.get(job.eventId)?.body === undefined) return undefined;
      return replaceMemoryJob(tables, journal, job, now);
    },
    fireSlot: async ({ name, slot, job }, now) => {
      const key = `${name} ${slot}`;
      if (slots.has(key)) return false;
      journal.set(slots, key, { name, slot });
      insertMemoryJob(tables, journal, job, { now });
      return true;
    },
    lastSlot: async (name) => {
      const times = [...slots.values()].flatMap((one) => (one.name === name ? [one.slot] : []));
      return times.length === 0 ? undefined : Math.max(...times);
    },
    queues: async () => {
      const names = new Set([...inState("ready").map(({ queue }) => queue), ...paused.keys()]);
      return [...names].toSorted().map((name): QueueSummary => {
        const ready = inState("ready").filter(({ queue }) => queue === name);
        return {
          name,
          paused: paused.has(name),
          note: paused.get(name),
          ready: ready.length,
          oldestReadyAt:
            ready.length === 0 ? undefined : Math.min(...ready.map(({ createdAt, readyAt }) => readyAt ?? createdAt)),
        };
      });
    },
    pauseQueue: async (queue, note) => journal.set(paused, queue, note),
    resumeQueue: async (queue) => journal.delete(paused, queue),
    hasSuspects: async (queue) => inState("ready").some((job) => job.queue === queue && job.suspect),
    registerRunner: async (name, now) => {
      const id = nextId();
      journal.set(runners, id, { id, name, beat: 0, beatAt: now, dead: false });
      return id;
    },
    beat: async (runnerId, now) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return false;
      journal.set(runners, runnerId, { ...runner, beat: runner.beat + 1, beatAt: now });
      return true;
    },
    liveRunners: async () =>
      [...runners.values()].filter(({ dead }) => !dead).map(({ id, name, beat }) => ({ id, name, beat })),
    recoverRunner: async (runnerId, { now, maxLosses, suspectLosses, delayMs }) => {
      const runner = runners.get(runnerId);
      if (runner === undefined || runner.dead) return undefined;
      journal.set(runners, runnerId, { ...runner, dead: true });
      const totals = { recovered: 0, dead: 0 };
      for (const job of inState("running").filter((running) => running.runnerId === runnerId)) {
        const losses = job.losses + 1;
        const error = lossText(losses);
        const isDead = losses >= maxLosses;
        // Without the lease: whoever held it has not ended the attempt.
        const lost = { ...job, losses, suspect: losses >= suspectLosses, lease: undefined };
        end(lost, isDead ? { to: "dead", error } : { to: "scheduled", at: now + delayMs(losses), error }, now);
        if (isDead) totals.dead += 1;
        else if (job.cancelAt === undefined) totals.recovered += 1;
      }
      return totals;
    },
    retireRunner: async (runnerId) => {
      if (inState("running").some((job) => job.runnerId === runnerId)) return;
      if (runners.get(runnerId)?.dead === false) journal.delete(runners, runnerId);
    },
  };
};

/** Puts a new job in the place of one that has ended; its id. */
export const replaceMemoryJob = (
  tables: JobTables,
  journal: Journal,
  old: MemoryJob,
  now: number,
  dueAt?: number,
): number => {
  const { kind, queue, priority, maxAttempts, payload, orderKey, onRetry, onDead } = old;
  const again: NewJob = {
    kind,
    queue,
    priority,
    maxAttempts,
    payload,
    onRetry,
    onDead,
    ...(orderKey === undefined ? {} : { orderKey }),
    ...(dueAt === undefined ? {} : { dueAt }),
  };
  // A turn that was held goes to the new one.
  journal.set(tables.jobs, old.id, { ...old, hasTurn: false });
  const id = insertMemoryJob(tables, journal, again, { eventId: old.eventId, replayOf: old.id, now });
  journal.set(tables.jobs, old.id, { ...old, hasTurn: false, replacedBy: id });
  return id;
};
