export type LogLevel = "debug" | "info" | "warn" | "error";
/** Only what may be shown to an operator: ids, names, counts, codes. No credential, no payload, no header value. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Log and metrics. Driven port; nothing here throws or waits. */
export interface Telemetry {
  /** `error`, where given, is written with its stack; its message must follow the rule for fields. */
  log(level: LogLevel, message: string, fields?: LogFields, error?: unknown): void;
  /** Adds `by` (1 unless told) to a counter. Label values come from small closed sets. */
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Records one measurement, in the unit the name ends in. */
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Says what something is now, in the unit the name ends in; it stays so until it is said anew. */
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}
