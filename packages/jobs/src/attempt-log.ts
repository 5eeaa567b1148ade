import type { Ports } from "@postern/core";
import type { JobFailure } from "@postern/core/ports";

type Lines = JobFailure["log"];

const mostLines = 50;
const mostCharacters = 8_192;

/** Keeps what a handler logs until its attempt ends: the last 50 lines. */
export const keepLine = (lines: Lines[number][], line: Lines[number]): void => {
  if (lines.push(line) > mostLines) lines.shift();
};

/**
 * The lines as they are stored: without secrets, and the last of them that have 8 KiB of JSON together.
 * Never throws: a line that cannot be written, which the types do not allow, is left out.
 */
export const linesToStore = ({ withoutSecrets }: Pick<Ports["telemetry"], "withoutSecrets">, lines: Lines): Lines => {
  if (withoutSecrets === undefined) return [];
  const stored: Lines[number][] = [];
  let left = mostCharacters;
  for (const line of lines.toReversed()) {
    try {
      const kept = { ...line, ...withoutSecrets(line) };
      left -= JSON.stringify(kept).length;
      if (left < 0) break;
      stored.unshift(kept);
    } catch {
      // A handler in JavaScript may log anything. Its attempt ends all the same.
    }
  }
  return stored;
};
