import type { AbortSignalLike } from "@postern/core";
import { newAbortController, outsideName } from "@postern/core/internal";
import type { ClaimedJob, Clock } from "@postern/core/ports";
import type { HandlerContext } from "./handler-context.ts";

interface RunContextParts {
  /** The database's time. */
  readonly time: Pick<Clock, "now">;
  readonly log: HandlerContext["log"];
  readonly read: HandlerContext["read"];
  readonly commit: HandlerContext["commit"];
  readonly mail: HandlerContext["mail"];
}

/** What a run gives to its handler. Handlers may take it apart: `({ log, commit }) => …`. */
export class RunContext implements HandlerContext {
  readonly attempt: number;
  declare readonly signal: HandlerContext["signal"];
  readonly idempotencyKey: string;
  readonly now: HandlerContext["now"];
  readonly log: HandlerContext["log"];
  readonly read: HandlerContext["read"];
  readonly commit: HandlerContext["commit"];
  readonly mail: HandlerContext["mail"];
  readonly #stop: RunStop;

  constructor(job: ClaimedJob, stop: RunStop, { time, log, read, commit, mail }: RunContextParts) {
    this.attempt = job.attempt;
    this.idempotencyKey = outsideName("postern-job", job.id, job.createdAt);
    this.now = () => time.now();
    this.log = log;
    this.read = read;
    this.commit = commit;
    this.mail = mail;
    this.#stop = stop;
    Object.defineProperty(this, "signal", RunContext.#signal);
  }

  /**
   * A member of the context itself, so that copies of it have it. All contexts share the function;
   * see `HandledEvent`.
   */
  static readonly #signal = {
    enumerable: true,
    get(this: RunContext): HandlerContext["signal"] {
      return this.#stop.signal;
    },
  };
}

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
export const stoppable = async (
  clock: Pick<Clock, "after">,
  stop: RunStop,
  { timeoutMs, stopMs }: RunTime,
  work: () => Promise<unknown>,
): Promise<void> => {
  let cancelGrace: (() => void) | undefined;
  const cancelTimeout = clock.after(timeoutMs, () => stop.stop("timeout"));
  const stopped = new Promise<never>((_resolve, reject) => {
    stop.onStop(() => {
      cancelTimeout();
      cancelGrace = clock.after(stopMs, () => reject(errorOf(timeoutMs, stop.reason)));
    });
  });
  try {
    // A handler may store jobs at once. This run must have its slot by then.
    await undefined;
    await Promise.race([work(), stopped]);
  } catch (thrown) {
    throw stop.reason === "timeout" ? errorOf(timeoutMs, stop.reason) : thrown;
  } finally {
    cancelTimeout();
    cancelGrace?.();
  }
};

/** Why a run ended that was stopped. It is made when it is needed: an error reads the whole stack. */
const errorOf = (timeoutMs: number, reason: StopReason = "timeout"): Error =>
  new Error(reason === "timeout" ? `the handler took longer than ${timeoutMs} ms` : stopMessages[reason]);
