import type { Clock, Randomness, Telemetry, Wakeup, Worker } from "@postern/core";

export interface JobRunnerOptions {
  readonly worker: Worker;
  readonly clock: Clock;
  readonly wakeup: Wakeup;
  readonly telemetry: Telemetry;
  /** Makes each wait for the next look up to a fifth shorter or longer, so that many processes do not ask the database all at once;
   * not at all when absent. */
  readonly randomness?: Pick<Randomness, "fraction">;
  /** Shortest and longest wait between two looks for work that another process committed; 25 and 1,000 ms unless given. */
  readonly pollMs?: { readonly min: number; readonly max: number };
}

export interface JobRunner {
  /** Registers the worker and begins to look for work. @throws what registering throws; a fault later on is logged and tried again. */
  start(): Promise<void>;
  /** Takes no new work, waits up to `graceMs` for what runs, gives back the rest. Calling it twice waits for the same end. */
  stop(graceMs: number): Promise<void>;
}

const beatMs = 5_000;
const watchMs = 500;
const scheduleRetryMs = 1_000;
const defaultPoll = { min: 25, max: 1_000 };

/**
 * Keeps a worker busy. It looks for work at once after a commit in this process, when a slot becomes free and when a retry is due; for the commits
 * of other processes it polls, quickly after work and ever more slowly when there is none.
 */
export const createJobRunner = (options: JobRunnerOptions): JobRunner => {
  const { worker, clock, wakeup, telemetry, randomness, pollMs: poll = defaultPoll } = options;
  const jittered = (ms: number): number => (randomness === undefined ? ms : ms * (0.8 + 0.4 * randomness.fraction()));
  const stoppers: (() => void)[] = [];
  let stopping = false;
  let stopped: Promise<void> | undefined;
  let looping: Promise<void> = Promise.resolve();
  let delayMs = poll.min;
  /** True when something happened since the last look, so that a call while looking is not lost. */
  let woken = false;
  let wake = (): void => undefined;
  let cancelSchedules = (): void => undefined;

  const onWork = (): void => {
    woken = true;
    wake();
  };

  /** Until something happens or the poll interval is over. */
  const idle = (waitMs: number): Promise<void> =>
    new Promise((resolve) => {
      if (woken || stopping) {
        resolve();
        return;
      }
      const cancel = clock.after(waitMs, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });

  /** One look for work; how long to wait before the next one. */
  const look = async (): Promise<number> => {
    const started = await worker.runDue();
    if (started > 0) {
      delayMs = poll.min;
      // A claim that left slots free has emptied the queue; one that filled them is followed by the next free slot.
      return worker.running < worker.concurrency ? 0 : poll.max;
    }
    delayMs = Math.min(delayMs * 2, poll.max);
    const wait = await worker.waitMs();
    return Math.min(jittered(delayMs), wait ?? Number.POSITIVE_INFINITY);
  };

  const loop = async (): Promise<void> => {
    while (!stopping) {
      woken = false;
      const waitMs = await look().catch((thrown: unknown) => {
        telemetry.log("error", "looking for work failed; trying again", {}, thrown);
        return poll.max;
      });
      await idle(waitMs);
    }
  };

  /** Repeats `run`, never two at a time. */
  const every = (intervalMs: number, what: string, run: () => Promise<unknown>): void => {
    let cancel = (): void => undefined;
    const schedule = (): void => {
      cancel = clock.after(intervalMs, () => {
        void run()
          .catch((thrown: unknown) => telemetry.log("error", `${what} failed; trying again`, {}, thrown))
          .finally(() => {
            if (!stopping) schedule();
          });
      });
    };
    schedule();
    stoppers.push(() => cancel());
  };

  /** Again when the next minute has begun: that is when schedules fire. */
  const fireSchedules = (): void => {
    void worker
      .fireSchedules()
      .catch((thrown: unknown) => {
        telemetry.log("error", "looking at the schedules failed; trying again", {}, thrown);
        return scheduleRetryMs;
      })
      .then((waitMs) => {
        if (stopping) return;
        cancelSchedules = clock.after(waitMs, fireSchedules);
      });
  };

  return {
    start: async () => {
      await worker.start();
      fireSchedules();
      await worker.watch();
      worker.onSlotFree(onWork);
      stoppers.push(wakeup.subscribe(onWork), () => cancelSchedules());
      every(beatMs, "the runner's heartbeat", () => worker.beat());
      every(watchMs, "looking for dead runners", () => worker.watch());
      looping = loop();
    },
    stop: (graceMs) => {
      stopped ??= (async () => {
        stopping = true;
        for (const stop of stoppers) stop();
        wake();
        await looping;
        await worker.stop(graceMs);
      })();
      return stopped;
    },
  };
};
