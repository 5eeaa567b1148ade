import type { OptionRules } from "@postern/core";
import { option, optionFaults, refuseFaults, required } from "@postern/core/internal";
import type { Clock, Randomness, Telemetry, Wakeup } from "@postern/core/ports";
import type { Worker } from "./worker.ts";

export interface JobRunnerOptions {
  readonly worker: Worker;
  readonly clock: Clock;
  readonly wakeup: Wakeup;
  readonly telemetry: Telemetry;
  /**
   * Makes each wait for the next look up to a fifth shorter or longer, so that many processes do
   * not query the database at the same time. Without it, the waits are exact.
   */
  readonly randomness?: Pick<Randomness, "fraction">;
  /**
   * The shortest and longest wait between two looks for work that another process committed.
   * Default 25 and 1,000 ms.
   */
  readonly pollMs?: { readonly min: number; readonly max: number };
}

export interface JobRunner {
  /**
   * Registers the worker and starts to look for work.
   * @throws what registering throws. Later faults are logged, and it tries again.
   */
  start(): Promise<void>;
  /**
   * Takes no new work, waits up to `graceMs` for running jobs, and gives back the rest. A second
   * call waits for the same end.
   */
  stop(graceMs: number): Promise<void>;
}

const rules: OptionRules = {
  worker: required({ ...option.anObject, says: "a worker, which app.worker({ name, concurrency }) makes" }),
  clock: required({ ...option.anObject, says: "a clock, such as that of nodePorts" }),
  wakeup: required({ ...option.anObject, says: "a wakeup, such as that of nodePorts" }),
  telemetry: required({ ...option.anObject, says: "telemetry, such as that of nodePorts" }),
  randomness: option.anObject,
  pollMs: {
    is: (value: unknown) => Number(Object(value).min) > 0 && Number(Object(value).max) >= Number(Object(value).min),
    says: "{ min, max } in milliseconds, with 0 < min <= max",
  },
} satisfies Readonly<Record<keyof JobRunnerOptions, unknown>>;

const beatMs = 5_000;
const watchMs = 500;
const scheduleRetryMs = 1_000;
const defaultPoll = { min: 25, max: 1_000 };
/** A worker that has found no work for this long may rest. */
const quietMs = 10_000;

/**
 * A wait that can be ended early. If `wake` is called between two waits, the next wait is over at
 * once.
 */
const createNap = (clock: Clock) => {
  let woken = false;
  let end = (): void => undefined;
  return {
    /** Waits until `wake` is called, or `waitMs` have passed. Returns whether it was called. */
    wait: (waitMs: number): Promise<boolean> =>
      new Promise((resolve) => {
        if (woken) {
          resolve(true);
          return;
        }
        const cancel = clock.after(waitMs, () => resolve(false));
        end = () => {
          cancel();
          resolve(true);
        };
      }),
    wake: (): void => {
      woken = true;
      end();
    },
    /** Calls of `wake` so far end no wait. */
    forget: (): void => {
      woken = false;
    },
  };
};

interface Repeated {
  readonly what: string;
  /** The wait before the first time. */
  readonly firstMs: number;
  /** The wait after a failure. */
  readonly afterFailureMs: number;
  /** Resolves with the wait before the next time. */
  run(): Promise<number>;
}

/** Repeats something, never twice at the same time. The returned function stops it. */
const repeat = ({ clock, telemetry }: Pick<JobRunnerOptions, "clock" | "telemetry">, repeated: Repeated) => {
  let stopped = false;
  let cancel = (): void => undefined;
  const schedule = (waitMs: number): void => {
    if (stopped) return;
    cancel = clock.after(waitMs, () => {
      void repeated
        .run()
        .catch((thrown: unknown) => {
          telemetry.log("error", `${repeated.what} failed; trying again`, {}, thrown);
          return repeated.afterFailureMs;
        })
        .then(schedule);
    });
  };
  schedule(repeated.firstMs);
  return (): void => {
    stopped = true;
    cancel();
  };
};

/**
 * Keeps a worker busy, from `start` until `stop`. It looks for work at once after a commit in this
 * process, when a slot becomes free, when a retry is due and when a schedule's time has come. For the
 * commits of other processes it polls, quickly after work and ever more slowly when there is none. Where
 * the wakeup tells of them, it does nothing for half a minute at a time while the whole database has
 * nothing to do.
 * @throws DeclarationError for options that are missing, wrong or unknown.
 */
export const createJobRunner = (options: JobRunnerOptions): JobRunner => {
  refuseFaults(optionFaults("createJobRunner", options, rules));
  const { worker, clock, wakeup, telemetry, randomness, pollMs: poll = defaultPoll } = options;
  const jittered = (ms: number): number => (randomness === undefined ? ms : ms * (0.8 + 0.4 * randomness.fraction()));
  const stoppers: (() => void)[] = [];
  const nap = createNap(clock);
  let stopping = false;
  let stopped: Promise<void> | undefined;
  let looping: Promise<void> = Promise.resolve();
  let delayMs = poll.min;
  let quietFrom = clock.monotonic();
  /** The worker does nothing until the nap ends. */
  let isResting = false;

  /** Looks for work once. Returns how long to wait before the next look. */
  const look = async (): Promise<number> => {
    const started = await worker.runDue();
    wakeup.waits?.(worker.running < worker.concurrency);
    if (started > 0) {
      delayMs = poll.min;
      quietFrom = clock.monotonic();
      // If a claim left slots free, it has emptied the queue. If it filled them, the next look
      // happens when a slot becomes free.
      return worker.running < worker.concurrency ? 0 : poll.max;
    }
    delayMs = Math.min(delayMs * 2, poll.max);
    const wait = await worker.waitMs();
    return Math.min(jittered(delayMs), wait ?? Number.POSITIVE_INFINITY);
  };

  const restOrLook = async (): Promise<number> => {
    if (isResting || clock.monotonic() - quietFrom >= quietMs) {
      const restMs = await worker.rest();
      isResting = restMs !== undefined;
      if (restMs !== undefined) return restMs;
      quietFrom = clock.monotonic();
    }
    return look();
  };

  const loop = async (): Promise<void> => {
    while (!stopping) {
      nap.forget();
      const waitMs = await restOrLook().catch((thrown: unknown) => {
        isResting = false;
        telemetry.log("error", "looking for work failed; trying again", {}, thrown);
        return poll.max;
      });
      if (!stopping && (await nap.wait(waitMs))) {
        if (isResting) delayMs = poll.min;
        isResting = false;
        quietFrom = clock.monotonic();
      }
    }
  };

  const every = (ms: number, what: string, run: () => Promise<unknown>): void => {
    const again = async (): Promise<number> => {
      if (!isResting) await run();
      return ms;
    };
    stoppers.push(repeat(options, { what, firstMs: ms, afterFailureMs: ms, run: again }));
  };

  return {
    start: async () => {
      await worker.start();
      // Runs again when the next minute has begun, because schedules fire then.
      stoppers.push(
        repeat(options, {
          what: "looking at the schedules",
          firstMs: 0,
          afterFailureMs: scheduleRetryMs,
          run: () => worker.fireSchedules(),
        }),
      );
      await worker.watch();
      worker.onFreeSlot(nap.wake);
      stoppers.push(wakeup.subscribe(nap.wake));
      every(beatMs, "the runner's heartbeat", () => worker.beat());
      every(watchMs, "looking for dead runners", () => worker.watch());
      looping = loop();
    },
    stop: (graceMs) => {
      stopped ??= (async () => {
        stopping = true;
        for (const stop of stoppers) stop();
        wakeup.waits?.(false);
        nap.wake();
        await looping;
        await worker.stop(graceMs);
      })();
      return stopped;
    },
  };
};
