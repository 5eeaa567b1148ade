import type { OptionRules, Ports } from "@postern/core";
import { option, optionFaults, refuseFaults, required, wholeNumber } from "@postern/core/internal";
import type { QueueLimits } from "@postern/core/ports";

/** The ports that jobs use. */
export type JobsPorts = Pick<
  Ports,
  "storage" | "clock" | "ids" | "cronPlan" | "liveness" | "randomness" | "telemetry" | "alerts" | "wakeup"
>;

export interface WorkerOptions {
  /** Shown to operators, e.g. host and process id. */
  readonly name: string;
  /** How many jobs run at once; 1 to 1,000. */
  readonly concurrency: number;
  /**
   * Limits of queues by name. The worker serves every queue that a handler names, and `default`.
   */
  readonly queues?: Readonly<Record<string, QueueLimits>>;
  /** How many runners may die while they run a job before the job is given up. Default 3. */
  readonly maxLosses?: number;
}

const rules: OptionRules = {
  name: required({ ...option.aText, says: "a text, such as host:pid" }),
  concurrency: required(wholeNumber(1, 1000)),
  queues: option.anObject,
  maxLosses: option.anything,
} satisfies Readonly<Record<keyof WorkerOptions, unknown>>;

const queueRules: OptionRules = {
  concurrency: option.anything,
  globalConcurrency: option.anything,
  perSecond: option.anything,
} satisfies Readonly<Record<keyof QueueLimits, unknown>>;

/**
 * A caller without types can leave options out or misspell them. Such a worker would never run
 * anything, or run it without its limits.
 * @throws DeclarationError
 */
export const checkWorkerOptions = (options: WorkerOptions): void => {
  refuseFaults(optionFaults("worker", options, rules));
  refuseFaults(
    Object.entries(options.queues ?? {}).flatMap(([name, limits]) =>
      optionFaults(`worker, queue "${name}"`, limits, queueRules),
    ),
  );
};
