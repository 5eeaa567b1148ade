import type { App } from "@postern/app";
import type { Ports } from "@postern/core";
import type { QueueLimits, Schedule } from "@postern/jobs";
import { createScheduler } from "@postern/jobs/internal";
import { loopTurn } from "./test-clock.ts";

/** The jobs of a test: they run when it says so, and none is left over. */
export interface Work {
  /** Registers the worker. From now on it also takes jobs with the commit that stores them. */
  start(): Promise<void>;
  /** Runs what is ready, and what that makes ready, until all of it has ended. */
  drain(): Promise<void>;
  /** Runs what is due now, and sets a timer for what is due later. For the moves of the clock. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

interface WorkNeeds {
  readonly app: Pick<App, "worker">;
  readonly ports: Pick<Ports, "clock" | "cronPlan" | "storage" | "telemetry" | "wakeup">;
  readonly schedules: readonly Schedule[];
  readonly queues: Readonly<Record<string, QueueLimits>>;
  /** Whether the storage has something under way. */
  readonly isBusy: () => boolean;
}

const concurrency = 10;
/**
 * A job that does nothing for so many turns of the event loop waits for time to pass, or for ever.
 */
const quietLoopTurns = 20;

export const createWork = ({ app, ports, schedules, queues, isBusy }: WorkNeeds): Work => {
  const { clock, cronPlan } = ports;
  const worker = app.worker({ name: "test", concurrency, queues });
  // Only the schedules that the test declares: Postern's own would run every minute of a week.
  const scheduler = createScheduler(ports, schedules);
  let ends = 0;
  let onEnd = (): void => undefined;
  let cancelAlarms = (): void => undefined;
  worker.onFreeSlot(() => {
    ends += 1;
    onEnd();
  });

  /** Waits until no job runs. */
  const allEnded = async (): Promise<void> => {
    while (worker.running > 0) {
      await new Promise<void>((resolve) => {
        onEnd = resolve;
      });
    }
  };

  /** Waits until no job runs, or those that run wait for time to pass. */
  const allRest = async (): Promise<void> => {
    let seen = ends;
    for (let loopTurns = 0; worker.running > 0 && loopTurns < quietLoopTurns; loopTurns += 1) {
      await loopTurn();
      if (isBusy() || ends !== seen) loopTurns = 0;
      seen = ends;
    }
  };

  /** Starts what is due until there is no more. `ended` waits for those that run. */
  const run = async (ended: () => Promise<void>): Promise<void> => {
    let seen: number;
    do {
      seen = ends;
      await ended();
    } while ((await worker.runDue()) > 0 || ends !== seen || (await worker.waitMs()) === 0);
  };

  /** Milliseconds until the next time of a schedule; `undefined` without schedules. */
  const untilSchedule = (): number | undefined => {
    const times = schedules.map((one) => cronPlan.next(one, clock.now()) ?? Number.POSITIVE_INFINITY);
    return times.length === 0 ? undefined : Math.min(...times) - clock.now();
  };

  const setAlarms = async (): Promise<void> => {
    cancelAlarms();
    const dueIn = await worker.waitMs();
    const scheduleIn = untilSchedule();
    const waits = [dueIn, scheduleIn].filter((wait) => wait !== undefined);
    // After each timer of a move, `settle` looks again.
    cancelAlarms = waits.length === 0 ? () => undefined : clock.after(Math.min(...waits), () => undefined);
  };

  return {
    start: async () => {
      await worker.start();
      await scheduler.fire();
    },
    drain: () => run(allEnded),
    settle: async () => {
      await loopTurn();
      await scheduler.fire();
      await run(allRest);
      await setAlarms();
    },
    stop: async () => {
      cancelAlarms();
      await worker.stop(0);
    },
  };
};
