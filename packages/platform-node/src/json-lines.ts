import { pino } from "pino";
import type { LogStream, LogWriter } from "./log-line.ts";
import { logText, logValue } from "./log-text.ts";
import { loggedError } from "./logged-error.ts";

/** Members that every line has of its own; a field of the same name gets a `_` behind it. */
const reserved = new Set(["level", "time", "msg", "err"]);

/** Text that waits longer than this is written at once. */
const mostWaiting = 64 * 1024;

/** Writes the lines of one turn of the event loop together: each write is a call of the system, and a busy server has many lines in a turn. */
const inTurns = (stream: LogStream) => {
  let waiting = "";
  const flush = (): void => {
    const text = waiting;
    waiting = "";
    if (text === "") return;
    try {
      stream.write(text);
    } catch {
      // The stream is gone, and with it the one place where that could be told.
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

/**
 * One JSON object a line, by pino: `level`, `time` (RFC 3339), the fields, `err` and `msg`. What is worth a warning is written at once, with all that
 * came before it; the rest at the end of the turn of the event loop.
 */
export const jsonLines = (stream: LogStream): LogWriter => {
  const lines = inTurns(stream);
  const logger = pino(
    {
      level: "debug",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are brought into shape below; pino's own serializer would add whatever members they have.
      serializers: { err: (value) => value },
    },
    { write: lines.add },
  );
  return (level, message, fields, error) => {
    const members: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) members[reserved.has(name) ? `${name}_` : logText(name)] = logValue(name, value);
    }
    if (error !== undefined) members.err = loggedError(error);
    logger[level](members, logText(message));
    if (level === "warn" || level === "error") lines.flush();
  };
};
