import { pino } from "pino";
import type { LogStream, LogWriter } from "./log-line.ts";
import { logText, logValue } from "./log-text.ts";
import { loggedError } from "./logged-error.ts";

/** Members that every line has of its own; a field of the same name gets a `_` behind it. */
const reserved = new Set(["level", "time", "msg", "err"]);

/** One JSON object a line, by pino: `level`, `time` (RFC 3339), the fields, `err` and `msg`. */
export const jsonLines = (stream: LogStream): LogWriter => {
  const logger = pino(
    {
      level: "debug",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are brought into shape below; pino's own serializer would add whatever members they have.
      serializers: { err: (value) => value },
    },
    { write: (line: string) => void stream.write(line) },
  );
  return (level, message, fields, error) => {
    const members: (readonly [string, unknown])[] = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [reserved.has(name) ? `${name}_` : logText(name), logValue(name, value)]);
    if (error !== undefined) members.push(["err", loggedError(error)]);
    logger[level](Object.fromEntries(members), logText(message));
  };
};
