import type { LogFields, LogLevel } from "@postern/core/ports";

/** One write of a handler: of a row, or of a job. */
export interface HandWrite {
  readonly what: "insert" | "update" | "delete" | "enqueue";
  /** The name of the resource, or of the job's handler. */
  readonly of: string;
  readonly id?: string;
  /** What was written, without fields that nobody may read. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** What one run of a handler did. */
export interface HandRun {
  /** Why it failed; absent if it returned. */
  readonly error?: string;
  readonly logged: readonly { readonly level: LogLevel; readonly message: string; readonly fields: LogFields }[];
  /** What `commit` wrote to rows and jobs. */
  readonly wrote: readonly HandWrite[];
  /** True if that is stored; false if it was rolled back, or nothing was committed. */
  readonly kept: boolean;
}
