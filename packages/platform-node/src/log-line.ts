import type { LogFields } from "@postern/core";
import type { LogLevel } from "@postern/core/parts";

/** Writes one entry. */
export type LogWriter = (level: LogLevel, message: string, fields: LogFields, error: unknown) => void;

/** Where lines go, e.g. `process.stdout`. */
export interface LogStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  on?(event: "error", listener: () => void): unknown;
}

const order: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Whether an entry of this level is written when the log begins at `least`. */
export const isLogged = (level: LogLevel, least: LogLevel): boolean => order[level] >= order[least];
