import { translate } from "../engine/translate-error.ts";
import type { ServerErrors } from "./server.ts";

/**
 * How often a transaction runs again after a deadlock or a lost connection, and for how long
 * further runs may begin.
 */
const maxRepeats = 3;
const repeatWithinMs = 4000;

/** Why a transaction runs again: it was in conflict with others, or its connection was lost. */
export type RepeatReason = "contention" | "connection";
export type OnRepeat = (reason: RepeatReason) => void;

/** What broke a run, and whether the same run may be repeated. */
export class BrokenRun extends Error {
  readonly error: unknown;
  readonly repeatable: boolean;
  readonly reason: RepeatReason;
  /** Whether the server takes no writes any more. */
  readonly isDemoted: boolean;

  /** `error` is for the caller; default: what the driver has thrown, translated. */
  constructor(thrown: unknown, repeatable: boolean, errors: ServerErrors, error: unknown = translate(thrown, errors)) {
    super("a run broke");
    this.error = error;
    this.repeatable = repeatable;
    this.reason = errors.isContention(thrown) ? "contention" : "connection";
    this.isDemoted = errors.isDemoted(thrown);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One run of a transaction or of a read. */
export type Run<Result> = (isRepeat: boolean) => Promise<Result>;

/**
 * Runs `run`, and runs it again after a deadlock or a lost connection. Before a repeat it waits for
 * a short random time, so that transactions in conflict do not meet again.
 */
export const repeating = async <Result>(run: Run<Result>, onRepeat: OnRepeat): Promise<Result> => {
  const until = performance.now() + repeatWithinMs;
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await run(repeats > 0);
    } catch (thrown) {
      if (!(thrown instanceof BrokenRun)) throw thrown;
      if (!thrown.repeatable || repeats >= maxRepeats || performance.now() >= until) throw thrown.error;
      onRepeat(thrown.reason);
      await pause((repeats + 1) * (5 + Math.random() * 20));
    }
  }
};
