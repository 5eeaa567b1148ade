import type { LogLevel, Telemetry } from "@postern/core/ports";
import { pino } from "pino";
import { type LogStream, type LogWriter, levelOrder } from "./log-line.ts";
import { type FieldName, fieldName, isHarmless, logText, logValue } from "./log-text.ts";
import { loggedError } from "./logged-error.ts";
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
    withoutSecrets: ({ message, fields }) => ({
      message: logText(message),
      fields: Object.fromEntries(
        Object.entries(fields).flatMap(([name, value]) => {
          const field = fieldName(name);
          return value === undefined ? [] : [[field.text, logValue(field, value)]];
        }),
      ),
    }),
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

/** Members that every line has by itself. A field of the same name gets the suffix `_`. */
const reserved = new Set(["level", "time", "msg", "err"]);

/** When more characters than this wait, they are written at once. */
const mostWaiting = 64 * 1024;

/**
 * Names come from the code, so they are few and short. If they ever come from elsewhere, no more
 * than these are kept.
 */
const mostFields = 1_000;
const longestField = 64;

/**
 * Writes the lines of one turn of the event loop together: each write is a call of the system, and
 * a busy server has many lines in a turn.
 */
const perLoopTurn = (stream: LogStream) => {
  let waiting = "";
  const flush = (): void => {
    const text = waiting;
    waiting = "";
    if (text === "") return;
    try {
      stream.write(text);
    } catch {
      // The stream is gone, and with it the only place where this could be reported.
    }
  };
  return {
    flush,
    add: (line: string): void => {
      if (waiting === "") setImmediate(flush);
      waiting += line;
      if (waiting.length > mostWaiting) flush();
    },
  };
};

interface KnownField {
  readonly field: FieldName;
  /** The member up to its value. */
  readonly start: string;
  /** The value of the line before, if it may come again, and the whole member. */
  value: unknown;
  text: string;
}

/**
 * Makes a function that writes the members of lines. Written piece by piece: an access line took
 * 2.6 µs as an object that was made into JSON, and takes 1.6. Of an access line, path, sender, address
 * and status are mostly those of the line before. Their text is kept, which saves 0.8 kB a line.
 */
const lineMembers = () => {
  const known = new Map<string, KnownField>();

  const learn = (name: string): KnownField => {
    const field = fieldName(name);
    const start = reserved.has(name) ? `,"${name}_":` : field.member;
    const made = { field, start, value: undefined, text: "" };
    if (known.size < mostFields && name.length <= longestField) known.set(name, made);
    return made;
  };

  return (name: string, value: unknown): string => {
    const about = known.get(name) ?? learn(name);
    if (about.value === value) return about.text;
    const { field, start } = about;
    if (isHarmless(field, value)) about.text = `${start}"${value}"`;
    else if (typeof value === "number" && Number.isFinite(value)) about.text = start + value;
    // An object may have changed by the next line, and a long text would stay in memory.
    else return start + JSON.stringify(logValue(field, value));
    about.value = value;
    return about.text;
  };
};

/**
 * One JSON object a line, by pino: `level`, `time` (RFC 3339), the fields, `err` and `msg`.
 * Warnings and errors are written at once, with all lines before them; other lines at the end of
 * the turn of the event loop.
 */
const jsonLines = (stream: LogStream): LogWriter => {
  const lines = perLoopTurn(stream);
  const memberOf = lineMembers();
  // The time member is kept for a millisecond, because a busy server writes many lines in one.
  let timeMs = Number.NaN;
  let time = "";
  // The members of the line that is being written. pino puts its `timestamp` into the line as it
  // is, so they follow as one piece of JSON: member by member, pino takes 2 kB more for an access
  // line.
  let written = "";
  const logger = pino(
    {
      level: "debug",
      base: null,
      timestamp: () => {
        const nowMs = Date.now();
        if (nowMs !== timeMs) {
          timeMs = nowMs;
          time = `,"time":"${new Date(nowMs).toISOString()}"`;
        }
        return time + written;
      },
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: lines.add },
  );
  return (level, message, fields, error) => {
    written = "";
    for (const name in fields) {
      const value = fields[name];
      if (value !== undefined && Object.hasOwn(fields, name)) written += memberOf(name, value);
    }
    if (error !== undefined) written += `,"err":${JSON.stringify(loggedError(error))}`;
    logger[level](logText(message));
    if (level === "warn" || level === "error") lines.flush();
  };
};
