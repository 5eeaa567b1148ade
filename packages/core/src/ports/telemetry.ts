export type LogLevel = "debug" | "info" | "warn" | "error";
/**
 * Only what operators may see: ids, names, counts, codes. No credential, no payload, no header
 * value.
 */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a line of the log says. */
interface LogText {
  readonly message: string;
  readonly fields: LogFields;
}

/** Log and metrics. Driven port. No method throws or waits. */
export interface Telemetry {
  /** If given, `error` is written with its stack. Its message must follow the rule for fields. */
  log(level: LogLevel, message: string, fields?: LogFields, error?: unknown): void;
  /**
   * A line as it may be kept elsewhere: without what looks like a credential, and cut as in the log.
   * If this is absent, what handlers log is in the log alone, and not with their failures.
   */
  readonly withoutSecrets?: ((line: LogText) => LogText) | undefined;
  /**
   * Adds `by` (default 1) to a counter. Label values come from small closed sets. What is known at
   * the start is counted 0 times then, so that a reader sees the counter rise when it first counts.
   */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Records one measurement, in the unit at the end of the name. */
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Sets a current value, in the unit at the end of the name. It holds until you set it again. */
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
