import type { LogLevel } from "@postern/core/ports";
import type { LogStream, LogWriter } from "./log-line.ts";
import { fieldName, logText, logValue } from "./log-text.ts";
import { type LoggedError, loggedError } from "./logged-error.ts";

/** SGR codes of ECMA-48. */
const colours: Readonly<Record<LogLevel, number>> = { debug: 90, info: 32, warn: 33, error: 31 };
const grey = 90;

const painted = (text: string, colour: number, on: boolean): string =>
  on ? `\u001b[${colour}m${text}\u001b[0m` : text;

/** The value as text. It is quoted if a reader could not see otherwise where it ends. */
const shown = (value: string | number | boolean | null): string => {
  const text = String(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
};

const errorLines = ({ type, message, code, stack = [], cause }: LoggedError, lead: string): readonly string[] => [
  `  ${lead}${type}${code === undefined ? "" : ` [${code}]`}${message === "" ? "" : `: ${message}`}`,
  ...stack.map((frame) => `    ${frame}`),
  ...(cause === undefined ? [] : errorLines(cause, "caused by ")),
];

export interface PrettyLinesOptions {
  readonly stream: LogStream;
  readonly color: boolean;
  /** Wall time in milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * For a person at a terminal: local time, level, message, `name=value` for each field; an error in
 * indented lines below.
 */
export const prettyLines = ({ stream, color, now }: PrettyLinesOptions): LogWriter => {
  const timeOf = (): string => {
    const time = new Date(now());
    const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) =>
      String(part).padStart(2, "0"),
    );
    return `${hours}:${minutes}:${seconds}.${String(time.getMilliseconds()).padStart(3, "0")}`;
  };
  return (level, message, fields, error) => {
    const pairs = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const field = fieldName(name);
        return `${painted(`${field.text}=`, grey, color)}${shown(logValue(field, value))}`;
      });
    const head = [painted(timeOf(), grey, color), painted(level.padEnd(5), colours[level], color), logText(message)];
    const below = error === undefined ? [] : errorLines(loggedError(error), "");
    stream.write(`${[[...head, ...pairs].join(" "), ...below].join("\n")}\n`);
  };
};
