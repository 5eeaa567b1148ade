import type { Ports } from "../ports/ports.ts";
import type { LogFields, LogLevel } from "../ports/telemetry.ts";

export interface FurtherLines {
  readonly level: LogLevel;
  /** The message of the line that stands for the others. Its number is in `further`. */
  readonly message: string;
  /** How many lines of one kind are written in a minute. Default 10. */
  readonly mostAlike?: number;
}

/**
 * Says whether a line of this kind may be written. If not, it is counted: when the minute is over,
 * one line with `fields` has the number. `fields` are those that all lines of the kind share.
 */
export type BoundedLines = (kind: string, fields: LogFields) => boolean;

const minuteMs = 60_000;
/** Enough to see the stack and whom it concerns, and too few to fill a disk. */
const usualMost = 10;
/**
 * The most kinds that are counted separately. A message may hold a caller's text, so there may be
 * any number of kinds.
 */
const mostKinds = 50;
const otherKinds = "other kinds";
const longestKind = 200;

/** Keeps a flood of similar lines from filling the log. */
export const createBoundedLines = (
  { telemetry, clock }: Pick<Ports, "telemetry" | "clock">,
  { level, message, mostAlike = usualMost }: FurtherLines,
): BoundedLines => {
  const counts = new Map<string, { times: number }>();

  const begin = (kind: string, fields: LogFields): { times: number } => {
    const count = { times: 0 };
    counts.set(kind, count);
    clock.after(minuteMs, () => {
      counts.delete(kind);
      const further = count.times - mostAlike;
      if (further > 0) telemetry.log(level, message, { ...fields, further });
    });
    return count;
  };

  return (given, fields) => {
    const kind = given.slice(0, longestKind);
    const key = counts.has(kind) || counts.size < mostKinds ? kind : otherKinds;
    const count = counts.get(key) ?? begin(key, key === otherKinds ? {} : fields);
    count.times += 1;
    return count.times <= mostAlike;
  };
};
