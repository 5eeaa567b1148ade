import { pino } from "pino";
import type { LogStream, LogWriter } from "./log-line.ts";
import { fieldName, logText, logValue } from "./log-text.ts";
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

/** The member of a line that says when; a busy server writes many lines in a millisecond. */
const timeMember = (): (() => string) => {
  let at = Number.NaN;
  let text = "";
  return () => {
    const now = Date.now();
    if (now === at) return text;
    at = now;
    text = `,"time":"${new Date(now).toISOString()}"`;
    return text;
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
      timestamp: timeMember(),
      formatters: { level: (label) => ({ level: label }) },
      // Errors are brought into shape below; pino's own serializer would add whatever members they have.
      serializers: { err: (value) => value },
    },
    { write: lines.add },
  );
  return (level, message, fields, error) => {
    const members: Record<string, unknown> = {};
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value === undefined) continue;
      const field = fieldName(name);
      members[reserved.has(name) ? `${name}_` : field.text] = logValue(field, value);
    }
    if (error !== undefined) members.err = loggedError(error);
    logger[level](members, logText(message));
    if (level === "warn" || level === "error") lines.flush();
  };
};
