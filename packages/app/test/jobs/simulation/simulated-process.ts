import { type App, createApp } from "@postern/app";
import type { Storage } from "@postern/core";
import {
  inProcessWakeup,
  type LivenessRegistry,
  memoryLiveness,
  memoryPorts,
  type VirtualClock,
} from "@postern/core/memory";
import type { Clock, Wakeup } from "@postern/core/ports";
import type { InboxHandler, Provider } from "@postern/inbox";
import type { JobHandler } from "@postern/jobs";
import { createJobRunner, type JobRunner } from "@postern/jobs";
import { type CallFate, faultyStorage } from "./faulty-storage.ts";

export interface SimulatedProcess {
  readonly name: string;
  readonly app: App;
  readonly alive: boolean;
  /** Ends abruptly: timers never fire, answers never come, an open transaction is rolled back. */
  kill(): void;
  /** Freezes it for this long. Then everything that was due happens at once. */
  freeze(ms: number): void;
  /** Drains and ends, as on SIGTERM. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly storage: Storage;
  readonly registry: LivenessRegistry;
  /** The subscribers of all processes, where the database tells each of what others commit. */
  readonly subscribers?: Set<() => void> | undefined;
  readonly provider: Provider;
  handlers(process: { readonly clock: Clock; readonly name: string }): readonly InboxHandler[];
  jobs(process: { readonly clock: Clock; readonly name: string }): readonly JobHandler[];
  readonly concurrency: number;
  onFailedStart(): void;
  fate(): CallFate;
  fraction(): number;
}

/**
 * One process of the application, with everything it keeps in memory; what it shares with others
 * are storage, locks and time.
 */
export const startProcess = (options: ProcessOptions): SimulatedProcess => {
  const { clock: world, name } = options;
  let alive = true;
  let frozenUntil = 0;
  let rejectDied: (reason: Error) => void = () => undefined;
  const died = new Promise<never>((_, reject) => {
    rejectDied = reject;
  });
  died.catch(() => undefined);

  const run = (callback: () => void): void => {
    if (!alive) return;
    const rest = frozenUntil - world.monotonic();
    if (rest > 0) world.after(rest, () => run(callback));
    else callback();
  };
  const clock: Clock = {
    now: () => world.now(),
    monotonic: () => world.monotonic(),
    after: (delayMs, callback) => {
      let cancelled = false;
      const cancel = world.after(delayMs, () => run(() => cancelled || callback()));
      return () => {
        cancelled = true;
        cancel();
      };
    },
    nextLoopTurn: () => new Promise((resolve) => run(resolve)),
  };
  const storage = faultyStorage({
    storage: options.storage,
    clock: world,
    fate: options.fate,
    alive: () => alive,
    died,
  });
  const liveness = memoryLiveness({ registry: options.registry });
  const { subscribers } = options;
  const own = inProcessWakeup();
  const wakeup: Wakeup =
    subscribers === undefined
      ? own
      : {
          notify: () => {
            for (const tell of subscribers) world.after(1, tell);
          },
          subscribe: (listener) => {
            const tell = (): void => run(listener);
            subscribers.add(tell);
            return () => void subscribers.delete(tell);
          },
          reaches: () => true,
        };
  const ports = {
    ...memoryPorts({ clock: world }),
    clock,
    storage,
    liveness,
    wakeup,
    randomness: { bytes: (length: number) => new Uint8Array(length), fraction: options.fraction },
  };
  const app = createApp({
    ports,
    // The world has webhooks and jobs; users, posts and deprecations would only slow it down.
    parts: ["inbox"],
    deprecations: [],
    providers: [options.provider],
    handlers: options.handlers({ clock, name }),
    jobs: options.jobs({ clock, name }),
  });
  const worker = app.worker({ name, concurrency: options.concurrency });
  const runner: JobRunner = createJobRunner({ worker, clock, wakeup, telemetry: ports.telemetry });
  const process: SimulatedProcess = {
    name,
    app,
    get alive() {
      return alive;
    },
    kill: () => {
      alive = false;
      liveness.die();
      rejectDied(new Error("the process was killed"));
    },
    freeze: (ms) => {
      frozenUntil = Math.max(frozenUntil, world.monotonic() + ms);
    },
    stop: async () => {
      await runner.stop(2_000);
      alive = false;
      liveness.die();
    },
  };
  // A process that cannot start ends. Its supervisor starts another.
  runner.start().catch(() => {
    process.kill();
    options.onFailedStart();
  });
  return process;
};
