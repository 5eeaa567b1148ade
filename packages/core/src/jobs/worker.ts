import type { InboxHandler } from "../inbox/handler.ts";
import type { StoredEvent } from "../ports/event-store.ts";
import type { ClaimedJob, JobEnd, Lease } from "../ports/job.ts";
import type { ClaimRequest, JobOutcome } from "../ports/job-queue.ts";
import { newAbortController } from "../runtime.ts";
import { type Attempt, runAttempt, type StopReason } from "./attempt.ts";
import type { JobHandler } from "./job-handler.ts";
import { naturalBatch } from "./natural-batch.ts";
import { type QueueLimits, queueShare } from "./queue-share.ts";
import { createRecovery } from "./recovery.ts";
import { createScheduler } from "./schedule.ts";
import type { SlotSource } from "./slot-desk.ts";
import type { WorkerParts } from "./worker-parts.ts";

export type { QueueLimits };

export interface WorkerOptions {
  /** Shown to operators, e.g. host and process id. */
  readonly name: string;
  /** How many jobs run at once; 1 to 1,000. */
  readonly concurrency: number;
  /** Limits of queues by their names. Every queue that a handler names is worked, and `default`. */
  readonly queues?: Readonly<Record<string, QueueLimits>>;
  /** How many runners may die with a job before it is given up; 3 unless given. */
  readonly maxLosses?: number;
}

/**
 * One runner: claims jobs, runs their handlers, ends them. It has no loop of its own; `@postern/job-runner` calls it, under a real clock or a
 * virtual one.
 */
export interface Worker {
  /** Registers the runner and takes its liveness lock. Call it before anything else. */
  start(): Promise<void>;
  /** Makes due jobs ready, claims as many as there are free slots and starts them. How many it started; does not wait for them. */
  runDue(): Promise<number>;
  readonly running: number;
  readonly concurrency: number;
  /** Calls back each time a job has ended and its slot is free. */
  onSlotFree(listener: () => void): void;
  /** Milliseconds until there may be something to start that no commit announces: a retry that is due, a rate that allows one more. */
  waitMs(): Promise<number | undefined>;
  /** Says that this runner lives. If it has been declared dead meanwhile, its jobs are abandoned and it registers anew. */
  beat(): Promise<void>;
  /**
   * Looks for dead runners and takes their jobs back (how many), for suspects that wait to run alone, for running jobs that shall be
   * cancelled, and now and then for lost turns of order keys. Call it about twice a second.
   */
  watch(): Promise<number>;
  /** Enqueues the jobs of schedules whose time has come; how long until it should be called again. */
  fireSchedules(): Promise<number>;
  /**
   * Waits up to `graceMs` for running jobs, then tells them to stop, waits two seconds more, gives back what is still unfinished without counting
   * the attempt, and leaves the list of runners.
   */
  stop(graceMs: number): Promise<void>;
}

interface Running {
  readonly job: ClaimedJob;
  readonly controller: ReturnType<typeof newAbortController>;
  readonly ended: Promise<void>;
}

/**
 * By lease, not by job: a run that has lost its lease, or whose end was written without an answer, is still here when this process claims the
 * same job again.
 */
const keyOf = ({ id, lease }: Lease): string => `${id}/${lease}`;

const finishLimits = { items: 1000, waiting: 100_000 };
const abortGraceMs = 2000;
const endRetryMs = 1000;
/** How often due jobs are looked for while there is other work. */
const promoteEveryMs = 1000;
const repairEveryMs = 30_000;
/** Every so many claims go by arrival, so that a flood of urgent jobs starves none. */
const arrivalEvery = 10;

export const createWorker = (parts: WorkerParts, options: WorkerOptions): Worker => {
  const { storage, clock, liveness, telemetry, alerts } = parts.ports;
  const handlers = new Map<string, InboxHandler | JobHandler>(
    [...parts.handlers, ...parts.jobs, ...parts.schedules].map((handler) => [handler.name, handler]),
  );
  const queueNames = new Set([
    "default",
    ...[...handlers.values()].flatMap(({ queue }) => queue ?? []),
    ...Object.keys(options.queues ?? {}),
  ]);
  const queues = [...queueNames].map((name) => {
    const limits = options.queues?.[name] ?? {};
    const globalLimit = limits.globalConcurrency;
    return { name, share: queueShare(clock, limits), ...(globalLimit === undefined ? {} : { globalLimit }) };
  });
  const kinds = [...handlers.keys()];
  const running = new Map<string, Running>();
  const listeners: (() => void)[] = [];
  const recovery = createRecovery(parts.ports, options.maxLosses ?? 3);
  const scheduler = createScheduler(parts);
  const finish = naturalBatch<JobOutcome, boolean>(
    (outcomes) => storage.jobs.finish(outcomes, clock.now()),
    finishLimits,
  );
  let runnerId = 0;
  let stopped = false;
  let hold: { release(): Promise<void> } | undefined;
  let processes = 1;
  let claims = 0;
  /** True while it is not known what a claim took. */
  let claimUnsure = false;
  /** Slots kept free for jobs that are just being stored. */
  let reserved = 0;
  let stopping = false;
  let promoteFrom = 0;
  let repairFrom = 0;
  /** A queue where a suspect waits until this process runs nothing else. */
  let suspectIn: string | undefined;
  /** The suspect that runs, alone. */
  let alone: string | undefined;

  const register = async (): Promise<void> => {
    runnerId = await storage.runners.register({ name: options.name, kinds }, clock.now());
    hold = await liveness.hold(runnerId);
  };

  /** Sees to it that jobs are promoted at that time; how long that is from now. */
  const promoteAt = (due: number): number => {
    const wait = Math.max(due - clock.now(), 0);
    promoteFrom = Math.min(promoteFrom, clock.monotonic() + wait);
    return wait;
  };

  const report = (job: ClaimedJob, outcome: JobEnd, kept: boolean): void => {
    if (!kept) {
      telemetry.count("jobs_lease_lost");
      telemetry.log("warn", "a job ended after its lease was lost; its result does not count", { job: job.id });
      return;
    }
    telemetry.count("jobs_ended", { to: outcome.to });
    if ("at" in outcome) promoteAt(outcome.at);
    if (outcome.to === "dead") {
      alerts.raise({
        kind: "job.dead",
        text: `${job.kind} has given up on event ${job.eventId ?? "-"} after ${job.attempt} attempts: ${outcome.error}`,
        details: { job: job.id, event: job.eventId, kind: job.kind },
      });
    }
  };

  /** Ends a job however often it takes: a job whose end is not written would be `running` for as long as this process lives. */
  const endSurely = async (job: ClaimedJob, outcome: JobEnd): Promise<void> => {
    for (let unsure = false; ; unsure = true) {
      try {
        const kept = await finish({ job, end: outcome });
        // A try before may have been written although its answer was lost.
        report(job, outcome, kept || (unsure && (await storage.jobs.leaseState(job)) === "spent"));
        return;
      } catch (thrown) {
        telemetry.log("error", "the end of a job could not be written; trying again", { job: job.id }, thrown);
        if (stopped) return;
        await new Promise<void>((resolve) => void clock.after(endRetryMs, resolve));
      }
    }
  };

  const run = (job: ClaimedJob, event: StoredEvent | undefined): void => {
    const key = keyOf(job);
    const controller = newAbortController();
    const attempt: Attempt = { job, handler: handlers.get(job.kind), event, controller };
    if (job.attempt === 1 && job.losses === 0) {
      telemetry.observe("job_pickup_ms", clock.now() - job.createdAt, { queue: job.queue });
    }
    const ended = runAttempt(parts, attempt)
      .then((outcome) => {
        if (outcome !== "committed") return endSurely(job, outcome);
        report(job, { to: "done" }, true);
        return undefined;
      })
      .finally(() => {
        running.delete(key);
        if (alone === key) alone = undefined;
        for (const listener of listeners) listener();
      });
    running.set(key, { job, controller, ended });
  };

  const eventsOf = async (jobs: readonly ClaimedJob[]): Promise<ReadonlyMap<number, StoredEvent>> => {
    const ids = jobs.flatMap((job) => job.eventId ?? []);
    if (ids.length === 0) return new Map();
    return new Map((await storage.events.load(ids)).map((event) => [event.id, event]));
  };

  /** Gives back what a claim took whose answer never came: nobody would run it as long as this process lives. */
  const giveBackStrays = async (): Promise<void> => {
    const ours = await storage.runners.running(runnerId);
    const strays = ours.filter((lease) => !running.has(keyOf(lease)));
    await storage.jobs.finish(
      strays.map((job) => ({ job, end: { to: "ready" } })),
      clock.now(),
    );
    claimUnsure = false;
  };

  /** Claims and starts. */
  const take = async (
    request: Pick<ClaimRequest, "queue" | "limit" | "pick" | "globalLimit">,
  ): Promise<readonly ClaimedJob[]> => {
    // Jobs that are being stored for this runner are no strays although they do not run yet.
    if (claimUnsure && reserved === 0) await giveBackStrays();
    const jobs = await storage.jobs
      .claim({ ...request, kinds, runnerId, now: clock.now() })
      .catch((thrown: unknown) => {
        claimUnsure = true;
        throw thrown;
      });
    const events = await eventsOf(jobs).catch(async (thrown: unknown) => {
      await Promise.all(jobs.map((job) => endSurely(job, { to: "ready" })));
      throw thrown;
    });
    for (const job of jobs) run(job, events.get(job.eventId ?? -1));
    return jobs;
  };

  const promote = async (): Promise<void> => {
    if (clock.monotonic() < promoteFrom) return;
    promoteFrom = clock.monotonic() + promoteEveryMs;
    await storage.jobs.promoteDue(clock.now());
  };

  const repairTurns = async (): Promise<void> => {
    if (clock.monotonic() < repairFrom) return;
    repairFrom = clock.monotonic() + repairEveryMs;
    const repaired = await storage.jobs.repairTurns(clock.now());
    if (repaired === 0) return;
    telemetry.count("turns_repaired", {}, repaired);
    telemetry.log("error", "order keys had jobs in line and nobody's turn; they go on", { keys: repaired });
    parts.ports.wakeup.notify();
  };

  const runningIn = (queue: string): number => {
    let count = 0;
    for (const { job } of running.values()) if (job.queue === queue) count += 1;
    return count;
  };

  const limitOf = (name: string): Pick<ClaimRequest, "globalLimit"> => {
    const globalLimit = queues.find((queue) => queue.name === name)?.globalLimit;
    return globalLimit === undefined ? {} : { globalLimit };
  };

  /** Runs the suspect once nothing else runs here; until then, and while it runs, nothing new is started. */
  const takeSuspect = async (name: string): Promise<number> => {
    if (running.size > 0) return 0;
    const [suspect] = await take({ ...limitOf(name), queue: name, limit: 1, pick: "suspects" });
    suspectIn = undefined;
    alone = suspect !== undefined && running.has(keyOf(suspect)) ? keyOf(suspect) : undefined;
    return suspect === undefined ? 0 : 1;
  };

  /** Free slots for jobs that are just being stored in a queue; none while something else has to come first. */
  const source: SlotSource = {
    reserve: (queue, most) => {
      const { share, globalLimit } = queues.find(({ name }) => name === queue) ?? {};
      // Whoever stores jobs does not count what runs elsewhere; claims do.
      if (globalLimit !== undefined) return undefined;
      if (share === undefined || stopping || claimUnsure || alone !== undefined || suspectIn !== undefined)
        return undefined;
      const free = Math.min(
        options.concurrency - running.size - reserved,
        share.free(runningIn(queue) + reserved, processes),
      );
      const limit = Math.min(free, most);
      if (limit < 1) return undefined;
      reserved += limit;
      return {
        offer: { runnerId, queue, limit, kinds },
        start: (claimed, events) => {
          reserved -= limit;
          share.took(claimed.length);
          for (const job of claimed) {
            if (stopping) void endSurely(job, { to: "ready" });
            else run(job, events?.get(job.eventId ?? -1));
          }
        },
        fail: () => {
          reserved -= limit;
          claimUnsure = true;
        },
      };
    },
  };

  const abortAll = (reason: StopReason): void => {
    for (const { controller } of running.values()) controller.abort(reason);
  };

  return {
    concurrency: options.concurrency,
    get running() {
      return running.size;
    },
    onSlotFree: (listener) => void listeners.push(listener),
    start: async () => {
      await register();
      parts.slotDesk.open(source);
    },
    runDue: async () => {
      await promote();
      if (alone !== undefined) return 0;
      if (suspectIn !== undefined) {
        const started = await takeSuspect(suspectIn);
        if (started > 0 || suspectIn !== undefined) return started;
      }
      let started = 0;
      claims += 1;
      // Another queue is the first to be asked each time, so that none takes all the slots for ever.
      for (let turn = 0; turn < queues.length; turn += 1) {
        const queue = queues[(claims + turn) % queues.length];
        if (queue === undefined) continue;
        const { name, share } = queue;
        const limit = Math.min(options.concurrency - running.size - reserved, share.free(runningIn(name), processes));
        if (limit < 1) continue;
        const jobs = await take({
          ...limitOf(name),
          queue: name,
          limit,
          pick: claims % arrivalEvery === 0 ? "arrival" : "priority",
        });
        share.took(jobs.length);
        started += jobs.length;
      }
      return started;
    },
    waitMs: async () => {
      const waits = queues.map(({ share }) => share.waitMs(processes)).filter((wait) => wait > 0);
      const due = await storage.jobs.nextDueAt();
      if (due !== undefined) waits.push(promoteAt(due));
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    beat: async () => {
      if (await storage.runners.beat(runnerId, clock.now())) return;
      telemetry.log("warn", "this runner was taken for dead; it starts anew", { runner: runnerId });
      abortAll("lease-lost");
      await hold?.release();
      await register();
    },
    watch: async () => {
      const { jobs, others } = await recovery.look(runnerId);
      processes = others + 1;
      if (running.size > 0) {
        for (const lease of await storage.runners.running(runnerId)) {
          if (lease.cancelAt !== undefined) running.get(keyOf(lease))?.controller.abort("cancelled");
        }
      }
      for (const { name } of queues) {
        if (await storage.jobs.canClaim({ ...limitOf(name), queue: name, kinds, pick: "suspects" })) suspectIn ??= name;
      }
      await repairTurns();
      return jobs;
    },
    fireSchedules: async () => (await scheduler.fire()).againInMs,
    stop: async (graceMs) => {
      stopping = true;
      await storage.runners.stopping(runnerId).catch((thrown: unknown) => {
        telemetry.log("warn", "the runner could not be marked as stopping", { runner: runnerId }, thrown);
      });
      parts.slotDesk.close(source);
      await settledWithin(parts, running, graceMs);
      abortAll("shutdown");
      await settledWithin(parts, running, abortGraceMs);
      stopped = true;
      // What cannot be written now is found by whoever sees that this runner's lock is free.
      await Promise.all([...running.values()].map(({ job }) => endSurely(job, { to: "ready" })));
      await storage.runners.retire(runnerId).catch((thrown: unknown) => {
        telemetry.log("warn", "the runner could not be taken off the list", { runner: runnerId }, thrown);
      });
      await hold?.release();
    },
  };
};

/** Resolves when all running jobs have ended, or after `ms`. */
const settledWithin = ({ ports }: WorkerParts, running: ReadonlyMap<string, Running>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    if (running.size === 0) {
      resolve();
      return;
    }
    const cancel = ports.clock.after(ms, resolve);
    void Promise.all([...running.values()].map(({ ended }) => ended)).then(() => {
      cancel();
      resolve();
    });
  });
