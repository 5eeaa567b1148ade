import type { Nesting } from "@postern/core";
import type { ActivityCounter, Transactions } from "@postern/core/internal";
import { createBoundedLines } from "@postern/core/internal";
import type { Clock, QueueLimits } from "@postern/core/ports";
import { runAttempt } from "./attempt.ts";
import { createClaiming, createFreeSlots, createSuspects } from "./claiming.ts";
import { createDatabaseClock } from "./database-clock.ts";
import { createDueJobs } from "./due-jobs.ts";
import { createJobEnds } from "./job-ends.ts";
import type { JobHandler, Runnable } from "./job-handler.ts";
import type { LocalHandoff } from "./local-handoff.ts";
import { createLosses } from "./losses.ts";
import { createRecovery } from "./recovery.ts";
import { createRegistration } from "./registration.ts";
import { createRuns } from "./runs.ts";
import { createScheduler, type Schedule } from "./schedule.ts";
import { createStrays } from "./strays.ts";
import { createTurnRepair } from "./turn-repair.ts";
import { checkWorkerOptions, type JobsPorts, type WorkerOptions } from "./worker-options.ts";

/*
 * The modes of a worker:
 *
 *   from      to        when
 *   new       working   start() has registered it
 *   working   draining  watch() has found a suspect that may run: nothing starts until all that runs here has ended
 *   draining  alone     the suspect was claimed; nothing runs beside it
 *   draining  working   the suspect is gone: another process has it, or it may not run any more
 *   alone     working   the suspect has ended
 *   any       stopping  stop() was called: nothing is claimed, and what runs may end within the grace
 *   stopping  stopped   all ends are written, or left to the runners that see this one gone
 *
 * `working` and `draining`, `alone` are of suspects.ts; a worker that is stopping does not care for
 * suspects.
 */

export type { QueueLimits, WorkerOptions };

/** The dependencies of a worker. */
interface WorkerParts {
  readonly ports: JobsPorts;
  readonly jobs: readonly Runnable[];
  readonly schedules: readonly Schedule[];
  /** What `read` and `commit` give to a handler. */
  readonly transactions: Transactions;
  /** Notices a `commit` inside another transaction of the application. */
  readonly nesting?: Nesting | undefined;
  /** Hands jobs that this process stores to this worker, with the commit that stores them. */
  readonly handoff: Pick<LocalHandoff, "open" | "close" | "shares">;
  /** Counts what ends, over time. */
  readonly activity?: ActivityCounter;
}

/**
 * One runner: it claims jobs, runs their handlers and ends the jobs. It has no loop of its own;
 * `createJobRunner` calls it, under a real clock or a virtual one.
 */
export interface Worker {
  /** Registers the runner and takes its liveness lock. Call it before anything else. */
  start(): Promise<void>;
  /**
   * Makes due jobs ready, claims as many as there are free slots, and starts them without waiting
   * for them. Returns how many it started.
   */
  runDue(): Promise<number>;
  readonly running: number;
  readonly concurrency: number;
  /** Calls `listener` each time a job has ended and its slot is free. */
  onFreeSlot(listener: () => void): void;
  /**
   * How many milliseconds until there may be something to start that no commit announces: a retry
   * that is due, or a rate limit that allows one more.
   */
  waitMs(): Promise<number | undefined>;
  /**
   * Says that this runner is alive. If it has been declared dead meanwhile, its jobs are abandoned
   * and it registers again.
   */
  beat(): Promise<void>;
  /**
   * Looks for dead runners, whose jobs it takes back (it returns how many); suspects that wait to
   * run alone; running jobs that somebody asked to cancel; and, from time to time, order keys in
   * which no job has the turn, running jobs that nobody runs, and whether the database went back in
   * time. Call it about twice a second.
   */
  watch(): Promise<number>;
  /**
   * Call it in place of `beat` and `watch` when looks have found no work for some seconds, and again
   * when the time that it returns is over. It looks at everything in one transaction, and says that this
   * runner is idle. It returns how many milliseconds the runner may do nothing at all, unless the wakeup
   * calls; `undefined` while it has to go on looking: something runs or waits to run in some process, or
   * nothing tells this process of what others commit.
   */
  rest(): Promise<number | undefined>;
  /**
   * Enqueues the jobs of schedules whose time has come. Returns how many milliseconds later you
   * should call it again.
   */
  fireSchedules(): Promise<number>;
  /**
   * Waits up to `graceMs` milliseconds for running jobs, then tells them to stop and waits two
   * seconds more. It gives back what is still unfinished, without counting the attempt, and
   * unregisters the runner.
   */
  stop(graceMs: number): Promise<void>;
}

const abortGraceMs = 2000;
/** One claim in this many goes by arrival, so that a flood of urgent jobs starves no other job. */
const arrivalEvery = 10;

/** The limits of all queues: those that a handler names, those that have limits, and `default`. */
const limitsByQueue = (
  handlers: Iterable<Pick<JobHandler, "queue">>,
  limits: WorkerOptions["queues"] = {},
): ReadonlyMap<string, QueueLimits> => {
  const names = new Set(["default", ...[...handlers].flatMap(({ queue }) => queue ?? []), ...Object.keys(limits)]);
  return new Map([...names].map((name) => [name, limits[name] ?? {}]));
};

/** Resolves when `done` does, or after `ms`. */
const within = (clock: Pick<Clock, "after">, ms: number, done: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void done.then(() => {
      cancel();
      resolve();
    });
  });

/** How long an idle runner does nothing. */
const restMs = 30_000;
/** How often to look whether the database went back in time, where nothing else has shown it. */
const lookBackMs = 30_000;

/**
 * Makes a worker for the given handlers, jobs and schedules. Nothing runs before `start`. To keep
 * it running, give it to `createJobRunner`.
 * @throws DeclarationError for options that are missing, wrong or unknown.
 */
export const createWorker = (parts: WorkerParts, options: WorkerOptions): Worker => {
  checkWorkerOptions(options);
  const { ports, schedules, handoff, transactions } = parts;
  const { storage, clock, telemetry } = ports;
  const handlers = new Map<string, Runnable>([...parts.jobs, ...schedules].map((handler) => [handler.name, handler]));
  const kinds = [...handlers.keys()];
  let stopping = false;
  let rounds = 0;

  const time = createDatabaseClock(ports);
  const due = createDueJobs(ports, time);
  const ends = createJobEnds({ ...ports, time }, { onLater: due.expect, onGivenUp: () => claiming.doubt() });
  const failureLines = createBoundedLines(ports, {
    level: "warn",
    message: "further job attempts failed in the same way",
  });
  const runs = createRuns(
    ports,
    (attempt) =>
      runAttempt(
        ports,
        { ...transactions, time, failureLines, nesting: parts.nesting },
        { ...attempt, handler: handlers.get(attempt.job.kind) },
      ),
    ends,
    parts.activity,
  );
  const limits = limitsByQueue(handlers.values(), options.queues);
  const freeSlots = createFreeSlots(clock, runs, options.concurrency, limits);
  const registration = createRegistration(ports, {
    name: options.name,
    kinds,
    limits: { concurrency: options.concurrency, queues: Object.fromEntries(limits) },
  });
  const mode = () => {
    if (stopping) return "stopping";
    return suspects.mode === "none" ? "working" : "busy";
  };
  const claiming = createClaiming(ports, { kinds, registration, freeSlots, runs, ends, mode, shares: handoff.shares });
  const suspects = createSuspects(ports, kinds, { freeSlots, runs, claiming });
  const losses = createLosses(ports, time, options.maxLosses ?? 3);
  const recovery = createRecovery(ports, losses);
  const strays = createStrays(ports, { registration, runs, ends, claiming, losses });
  const rest = async (): Promise<number | undefined> => {
    const isBusy = runs.size > 0 || freeSlots.reserved > 0 || suspects.mode !== "none" || !claiming.isSure;
    if (stopping || isBusy || ports.wakeup.reaches?.() !== true) return undefined;
    const found = await time.measureBy(registration.rest);
    if (found?.isIdle !== true) return undefined;
    const { others } = await recovery.lookAt(found.live, registration.runnerId);
    freeSlots.shareAmong(others + 1);
    if (noteSetbacks()) return undefined;
    lookBackFrom = clock.monotonic() + lookBackMs;
    const waitMs = Math.min(restMs, found.dueAt === undefined ? restMs : due.expect(found.dueAt));
    return waitMs > 0 ? waitMs : undefined;
  };

  const scheduler = createScheduler({ ...ports, clock: time }, schedules);
  const repairTurns = createTurnRepair(ports);

  /** Tells running jobs to stop if somebody asked to cancel them. */
  const stopCancelled = async (): Promise<void> => {
    if (runs.size === 0) return;
    const ids = runs.jobs.map(({ id }) => id);
    for (const lease of await storage.runners.running(registration.runnerId, ids)) {
      if (lease.cancelAt !== undefined) runs.stop(lease, "cancelled");
    }
  };

  let setbacks = ports.storage.past.setbacks();
  let lookBackFrom = clock.monotonic() + lookBackMs;
  /** Notices that the database went back in time. What is remembered of it here holds no more then. */
  const lookBack = async (): Promise<void> => {
    if (clock.monotonic() >= lookBackFrom) {
      lookBackFrom = clock.monotonic() + lookBackMs;
      await storage.past.look();
    }
    await strays(noteSetbacks());
  };
  /** Whether the database went back in time since the last call. */
  const noteSetbacks = (): boolean => {
    const found = storage.past.setbacks();
    const wentBack = found !== setbacks;
    if (wentBack) {
      telemetry.count("database_setbacks");
      telemetry.log("warn", "the database may have gone back in time: nothing that was remembered of it is used", {});
      due.forget();
      ports.wakeup.notify();
    }
    setbacks = found;
    return wentBack;
  };

  return {
    concurrency: options.concurrency,
    get running() {
      return runs.size;
    },
    onFreeSlot: runs.onEnd,
    start: async () => {
      await time.measure();
      await registration.begin();
      handoff.open(claiming.source);
    },
    runDue: async () => {
      await due.promote();
      let started = await suspects.start();
      if (suspects.mode !== "none") return started;
      rounds += 1;
      const pick = rounds % arrivalEvery === 0 ? "arrival" : "priority";
      for (const queue of freeSlots.inRotation()) {
        const limit = freeSlots.free(queue);
        if (limit >= 1) started += (await claiming.claim(queue, limit, pick)).length;
      }
      return started;
    },
    waitMs: async () => {
      const waits = [freeSlots.waitMs(), await due.waitMs()].filter((wait) => wait !== undefined);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    beat: () => registration.beat(() => runs.stopAll("lease-lost")),
    watch: async () => {
      const { jobs, others } = await recovery.look(registration.runnerId);
      freeSlots.shareAmong(others + 1);
      await time.measure();
      await stopCancelled();
      await suspects.look();
      await repairTurns();
      await lookBack();
      return jobs;
    },
    rest,
    fireSchedules: async () => (await scheduler.fire()).againInMs,
    stop: async (graceMs) => {
      stopping = true;
      await registration.stopping();
      handoff.close(claiming.source);
      const settled = () => Promise.all([runs.settled(), ends.settled()]);
      await within(clock, graceMs, settled());
      runs.stopAll("shutdown");
      await within(clock, abortGraceMs, settled());
      // If an end cannot be written now, other runners find the job as soon as they see that this
      // runner's lock is free.
      await Promise.all([ends.lastTries(), ...runs.jobs.map((job) => ends.write(job, { to: "ready" }))]);
      await registration.end();
      await parts.activity?.stop();
    },
  };
};
