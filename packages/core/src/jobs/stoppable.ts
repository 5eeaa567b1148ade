import type { Clock } from "../ports/clock.ts";
import type { newAbortController } from "../runtime.ts";

/** Why a run is aborted: the `reason` of its signal. */
export type StopReason = "timeout" | "cancelled" | "lease-lost" | "shutdown";

/** How long a run may take. */
interface RunTime {
  readonly timeoutMs: number;
  /**
   * For how long a handler that ignores its signal keeps its slot and the turn of its order key.
   */
  readonly stopMs: number;
}

const stopMessages: Readonly<Record<Exclude<StopReason, "timeout">, string>> = {
  cancelled: "the job was cancelled",
  "lease-lost": "the job was given to another runner",
  shutdown: "the process is stopping",
};

/**
 * Runs `work`. If the work is told to stop, or its time is up, the run ends a little later even if
 * the work ignores the signal.
 */
export const stoppable = (
  clock: Pick<Clock, "after">,
  controller: ReturnType<typeof newAbortController>,
  { timeoutMs, stopMs }: RunTime,
  work: () => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { signal } = controller;
    // Made when it is needed, because almost no run is late, and an error reads the whole stack.
    const late = (): Error => new Error(`the handler took longer than ${timeoutMs} ms`);
    const stopped = (): Error =>
      signal.reason === "timeout" ? late() : new Error(stopMessages[signal.reason as keyof typeof stopMessages]);
    let cancelGrace = (): void => undefined;
    const cancelTimeout = clock.after(timeoutMs, () => controller.abort("timeout"));
    signal.addEventListener(
      "abort",
      () => {
        cancelTimeout();
        cancelGrace = clock.after(stopMs, () => reject(stopped()));
      },
      { once: true },
    );
    const settle = (): void => {
      cancelTimeout();
      cancelGrace();
    };
    // A handler may be written without `async` and throw before it returns a promise.
    void Promise.resolve()
      .then(work)
      .then(resolve, (thrown: unknown) => reject(signal.reason === "timeout" ? late() : thrown))
      .finally(settle);
  });
