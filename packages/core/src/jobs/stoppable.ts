import type { Clock } from "../ports/clock.ts";
import type { RunStop, StopReason } from "./run-stop.ts";

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
  stop: RunStop,
  { timeoutMs, stopMs }: RunTime,
  work: () => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    // Made when it is needed, because almost no run is late, and an error reads the whole stack.
    const late = (): Error => new Error(`the handler took longer than ${timeoutMs} ms`);
    const stopped = (): Error =>
      stop.reason === undefined || stop.reason === "timeout" ? late() : new Error(stopMessages[stop.reason]);
    let cancelGrace: (() => void) | undefined;
    const cancelTimeout = clock.after(timeoutMs, () => stop.stop("timeout"));
    stop.onStop(() => {
      cancelTimeout();
      cancelGrace = clock.after(stopMs, () => reject(stopped()));
    });
    // A handler may store jobs at once. This run must have its slot by then.
    void Promise.resolve()
      .then(work)
      .finally(() => {
        cancelTimeout();
        cancelGrace?.();
      })
      .then(resolve, (thrown: unknown) => reject(stop.reason === "timeout" ? late() : thrown));
  });
