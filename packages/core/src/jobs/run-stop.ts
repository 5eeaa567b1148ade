import { type AbortSignalLike, newAbortController } from "../runtime.ts";

/** Why a run is stopped: the `reason` of its signal. */
export type StopReason = "timeout" | "cancelled" | "lease-lost" | "shutdown";

/**
 * Tells one run to stop. Only the first reason counts. The signal is made when a handler asks for
 * it: most never do, and to make one takes as long as a tenth of a run.
 */
export class RunStop {
  #reason: StopReason | undefined;
  #controller: ReturnType<typeof newAbortController> | undefined;
  #listener: (() => void) | undefined;

  /** `undefined` while the run may go on. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Aborted as soon as the run is stopped. */
  get signal(): AbortSignalLike {
    if (this.#controller === undefined) {
      this.#controller = newAbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Calls `listener` when the run is stopped, before the listeners of the signal. There is one. */
  onStop(listener: () => void): void {
    this.#listener = listener;
  }

  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener?.();
    this.#controller?.abort(reason);
  }
}
