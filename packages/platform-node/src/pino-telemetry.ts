import type { LogLevel, Telemetry } from "@postern/core/parts";
import { jsonLines } from "./json-lines.ts";
import { type LogStream, levelOrder } from "./log-line.ts";
import { createMetrics } from "./metrics.ts";
import { prettyLines } from "./pretty-lines.ts";

export interface PinoTelemetryOptions {
  /** Entries below it are not written. */
  readonly level: LogLevel;
  readonly format: "json" | "pretty";
  /**
   * Default: `process.stdout`. Errors of the stream are ignored: a log that cannot be written must
   * not stop the server.
   */
  readonly stream?: LogStream;
  /**
   * Colours in the pretty format. Default: true if the stream is a terminal. If you honour
   * NO_COLOR, pass false.
   */
  readonly color?: boolean;
  /** Wall time of the pretty format, in milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface PinoTelemetry extends Telemetry {
  /**
   * All metrics of this process in the Prometheus text format 0.0.4 (`text/plain; version=0.0.4`),
   * with those of the process itself and of Node.
   */
  render(): Promise<string>;
}

const outlived = new WeakSet<LogStream>();

/**
 * Without a listener, a closed pipe (`npm start | head`) would end the process. One listener is
 * enough for a stream, however many loggers write to it.
 */
const outlive = (stream: LogStream): void => {
  if (outlived.has(stream)) return;
  outlived.add(stream);
  stream.on?.("error", () => undefined);
};

/**
 * Log lines and metrics. JSON lines are written by pino, pretty ones by a formatter of our own.
 * Whatever is logged, values are cut at 2,048 characters, control characters are escaped, and what
 * is recognised as a credential, by its name or its form, is replaced by `[redacted]`; of errors
 * only type, message, code, frames and causes are written. That is only a safety net: do not put
 * credentials into fields.
 */
export const pinoTelemetry = ({
  level: least,
  format,
  stream = process.stdout,
  color = stream.isTTY === true,
  now = Date.now,
}: PinoTelemetryOptions): PinoTelemetry => {
  const write = format === "json" ? jsonLines(stream) : prettyLines({ stream, color, now });
  outlive(stream);
  return {
    ...createMetrics(),
    log: (level, message, fields = {}, error = undefined) => {
      if (levelOrder[level] < levelOrder[least]) return;
      try {
        write(level, message, fields, error);
      } catch {
        // The stream is gone, and with it the only place where this could be reported.
      }
    },
  };
};
