import type { LogFields, LogLevel } from "@postern/core/ports";

/** Writes one entry. */
export type LogWriter = (level: LogLevel, message: string, fields: LogFields, error: unknown) => void;

/** Where lines go, e.g. `process.stdout`. */
export interface LogStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  on?(event: "error", listener: () => void): unknown;
}

/** The levels from the least on. */
export const levelOrder: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
