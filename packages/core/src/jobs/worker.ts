import type { Environment } from "../environment.ts";
import type { InboxHandler } from "../inbox/handler.ts";
import type { StoredEvent } from "../ports/event-store.ts";
import type { ClaimedJob, JobEnd, JobOutcome } from "../ports/job-store.ts";
import { newAbortController } from "../runtime.ts";
import { type Attempt, runAttempt } from "./attempt.ts";
import { naturalBatch } from "./natural-batch.ts";
import { createRecovery } from "./recovery.ts";

export interface WorkerOptions {
  /** Shown to operators, e.g. host and process id. */
  readonly name: string;
  /** How many jobs run at once; 1 to 1,000. */
  readonly concurrency: number;
  readonly queue?: string;
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
  /** When the next waiting retry is due, in milliseconds since the epoch. */
  nextDueAt(): Promise<number | undefined>;
  /** Says that this runner lives. If it has been declared dead meanwhile, its jobs are abandoned and it registers anew. */
  beat(): Promise<void>;
  /** Looks for dead runners and takes their jobs back; how many jobs. Call it about once a second. */
  recover(): Promise<number>;
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

const finishLimits = { items: 1000, waiting: 100_000 };
const abortGraceMs = 2000;
const endRetryMs = 1000;

export const createWorker = (environment: Environment, options: WorkerOptions): Worker => {
  const { storage, clock, liveness, telemetry, alerts } = environment.ports;
  const queue = options.queue ?? "default";
  const handlers = new Map(environment.handlers.map((handler) => [handler.name, handler]));
  const running = new Map<number, Running>();
  const listeners: (() => void)[] = [];
  const recovery = createRecovery(environment);
  const finish = naturalBatch<JobOutcome, boolean>(
    (outcomes) => storage.jobs.finish(outcomes, clock.now()),
    finishLimits,
  );
  let runnerId = 0;
  let stopped = false;
  let hold: { release(): Promise<void> } | undefined;

  const register = async (): Promise<void> => {
    runnerId = await storage.jobs.registerRunner(options.name, clock.now());
    hold = await liveness.hold(runnerId);
  };

  const end = async (job: ClaimedJob, outcome: JobEnd): Promise<void> => {
    const kept = await finish({ job, end: outcome });
    if (!kept) {
      telemetry.count("jobs_lease_lost");
      telemetry.log("warn", "a job ended after its lease was lost; its result does not count", { job: job.id });
      return;
    }
    telemetry.count("jobs_ended", { to: outcome.to });
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
    for (;;) {
      try {
        return await end(job, outcome);
      } catch (thrown) {
        telemetry.log("error", "the end of a job could not be written; trying again", { job: job.id }, thrown);
        if (stopped) return;
        await new Promise<void>((resolve) => void clock.after(endRetryMs, resolve));
      }
    }
  };

  const run = (job: ClaimedJob, handler: InboxHandler | undefined, event: StoredEvent | undefined): void => {
    const controller = newAbortController();
    const attempt: Attempt = { job, handler, event, controller };
    const ended = runAttempt(environment, attempt)
      .then((outcome) => (outcome === "committed" ? undefined : endSurely(job, outcome)))
      .finally(() => {
        running.delete(job.id);
        for (const listener of listeners) listener();
      });
    running.set(job.id, { job, controller, ended });
  };

  const eventsOf = async (jobs: readonly ClaimedJob[]): Promise<ReadonlyMap<number, StoredEvent>> => {
    const ids = jobs.flatMap((job) => job.eventId ?? []);
    if (ids.length === 0) return new Map();
    return new Map((await storage.events.load(ids)).map((event) => [event.id, event]));
  };

  return {
    concurrency: options.concurrency,
    get running() {
      return running.size;
    },
    onSlotFree: (listener) => void listeners.push(listener),
    start: register,
    runDue: async () => {
      const now = clock.now();
      await storage.jobs.promoteDue(now);
      const free = options.concurrency - running.size;
      if (free <= 0) return 0;
      const jobs = await storage.jobs.claim({ runnerId, queue, limit: free, now });
      const events = await eventsOf(jobs).catch(async (thrown: unknown) => {
        await Promise.all(jobs.map((job) => endSurely(job, { to: "ready" })));
        throw thrown;
      });
      for (const job of jobs) run(job, handlers.get(job.kind), events.get(job.eventId ?? -1));
      return jobs.length;
    },
    nextDueAt: () => storage.jobs.nextDueAt(),
    beat: async () => {
      if (await storage.jobs.beat(runnerId, clock.now())) return;
      telemetry.log("warn", "this runner was taken for dead; it starts anew", { runner: runnerId });
      for (const { controller } of running.values()) controller.abort("lease-lost");
      await hold?.release();
      await register();
    },
    recover: () => recovery.look(runnerId),
    stop: async (graceMs) => {
      await settledWithin(environment, running, graceMs);
      for (const { controller } of running.values()) controller.abort("shutdown");
      await settledWithin(environment, running, abortGraceMs);
      stopped = true;
      // What cannot be written now is found by whoever sees that this runner's lock is free.
      await Promise.all([...running.values()].map(({ job }) => endSurely(job, { to: "ready" })));
      await storage.jobs.retireRunner(runnerId).catch((thrown: unknown) => {
        telemetry.log("warn", "the runner could not be taken off the list", { runner: runnerId }, thrown);
      });
      await hold?.release();
    },
  };
};

/** Resolves when all running jobs have ended, or after `ms`. */
const settledWithin = ({ ports }: Environment, running: ReadonlyMap<number, Running>, ms: number): Promise<void> =>
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
