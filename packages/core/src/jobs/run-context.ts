import type { Clock } from "../ports/clock.ts";
import type { ClaimedJob } from "../ports/job.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { RunStop } from "./run-stop.ts";

interface RunContextParts {
  /** The database's time. */
  readonly time: Pick<Clock, "now">;
  readonly log: HandlerContext["log"];
  readonly commit: HandlerContext["commit"];
}

/** What a run gives to its handler. Handlers may take it apart: `({ log, commit }) => …`. */
export class RunContext implements HandlerContext {
  readonly attempt: number;
  declare readonly signal: HandlerContext["signal"];
  readonly idempotencyKey: string;
  readonly now: HandlerContext["now"];
  readonly log: HandlerContext["log"];
  readonly commit: HandlerContext["commit"];
  readonly #stop: RunStop;

  constructor(job: ClaimedJob, stop: RunStop, { time, log, commit }: RunContextParts) {
    this.attempt = job.attempt;
    this.idempotencyKey = `postern-job-${job.id}`;
    this.now = () => time.now();
    this.log = log;
    this.commit = commit;
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
