import { createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import type { JobHandler, WorkerOptions } from "@postern/jobs";

/** Runs until the test is over. */
export const hangs = () => new Promise<void>(() => undefined);

/** One process with jobs of its own. */
export const withJobs = async (
  jobs: readonly JobHandler[],
  { options = {}, instead = {} }: { options?: Partial<WorkerOptions>; instead?: Partial<MemoryPorts> } = {},
) => {
  const ports = memoryPorts(instead);
  const app = createApp({ ports, jobs });
  const worker = app.worker({ name: "only", concurrency: 10, ...options });
  await worker.start();
  const { storage, clock } = ports;
  return {
    app,
    worker,
    ports,
    clock,
    storage,
    /** Looks for work as often as a runner would, for so long. */
    work: async (ms = 0) => {
      for (let passed = 0; passed <= ms; passed += 100) {
        await worker.runDue();
        await clock.advance(passed === ms ? 0 : 100);
      }
    },
    states: async () =>
      Object.fromEntries((await storage.jobRecords.list({ limit: 100 })).map((job) => [job.id, job.state])),
  };
};

/** Says when it has begun. It runs until it is released or told to stop. */
export const gate = () => {
  const releases: (() => void)[] = [];
  let running = 0;
  let most = 0;
  return {
    run: (signal?: { addEventListener(type: "abort", listener: () => void): void }) =>
      new Promise<void>((resolve, reject) => {
        running += 1;
        most = Math.max(most, running);
        const over = (settle: () => void) => () => {
          running -= 1;
          settle();
        };
        releases.push(over(resolve));
        signal?.addEventListener(
          "abort",
          over(() => reject(new Error("stopped"))),
        );
      }),
    release: () => {
      for (const release of releases.splice(0)) release();
    },
    get running() {
      return running;
    },
    get most() {
      return most;
    },
  };
};
