import { cronFields } from "../job-rules/cron-names.ts";
import type { CronPlan, CronTimes } from "../ports/cron-plan.ts";

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const farthestMs = 5 * 366 * 24 * 60 * minuteMs;
const fieldNames = ["minute", "hour", "day of month", "month", "day of week"] as const;
const ranges: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];

const dayOfMonth = 2;
/** Stands for the last day of a month. */
const lastDay = 32;

/** Reads `*`, `5`, `1-5`, steps of these, lists of these, and `L` as a day of the month. */
const parseField = (text: string, index: number): ReadonlySet<number> => {
  const [least = 0, most = 0] = ranges[index] ?? [];
  const values = new Set<number>();
  for (const part of text.split(",")) {
    if (index === dayOfMonth && part.toUpperCase() === "L") {
      values.add(lastDay);
      continue;
    }
    const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    const from = match?.[1] === undefined ? least : Number(match[1]);
    const to = match?.[1] === undefined ? most : Number(match[2] ?? match[1]);
    const step = Number(match?.[3] ?? 1);
    const isStepOfOne = match?.[3] !== undefined && match[1] !== undefined && match[2] === undefined;
    if (match === null || isStepOfOne || from < least || to > most || from > to || step < 1 || step > most) {
      throw new TypeError(`"${text}" is no ${fieldNames[index]} of a cron expression`);
    }
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
};

const dayMs = 24 * 60 * minuteMs;

interface Match {
  readonly day: (at: Date) => boolean;
  readonly minute: (at: Date) => boolean;
}

const parse = ({ cron, timeZone }: CronTimes): Match => {
  if (timeZone !== "UTC") throw new TypeError(`this plan knows UTC only, not "${timeZone}"`);
  const fields = cronFields(cron);
  if (fields.length !== 5) throw new TypeError(`"${cron}" does not have the five fields of a cron expression`);
  const sets = fields.map(parseField);
  const has = (index: number, value: number): boolean => sets[index]?.has(value) ?? false;
  const weekday = (at: Date): boolean => has(4, at.getUTCDay()) || (at.getUTCDay() === 0 && has(4, 7));
  const date = (at: Date): boolean =>
    has(dayOfMonth, at.getUTCDate()) || (has(dayOfMonth, lastDay) && new Date(at.getTime() + dayMs).getUTCDate() === 1);
  return {
    day: (at) => has(3, at.getUTCMonth() + 1) && date(at) && weekday(at),
    minute: (at) => has(0, at.getUTCMinutes()) && has(1, at.getUTCHours()),
  };
};

/** The first minute that matches, after `after` and not after `until`: day by day, then minute by minute. */
const firstIn = ({ day, minute }: Match, after: number, until: number): number | undefined => {
  let slot = (Math.floor(after / minuteMs) + 1) * minuteMs;
  while (slot <= until) {
    const at = new Date(slot);
    if (!day(at)) slot = (Math.floor(slot / dayMs) + 1) * dayMs;
    else if (minute(at)) return slot;
    else slot += minuteMs;
  }
  return undefined;
};

/** Cron in UTC, without a library: numbers, ranges, steps and lists, but no names. */
export const memoryCronPlan = (): CronPlan => ({
  check: (times) => void parse(times),
  between: (times, after, until) => {
    const match = parse(times);
    const slots: number[] = [];
    let slot = firstIn(match, Math.max(after, until - weekMs), until);
    while (slot !== undefined) {
      slots.push(slot);
      slot = firstIn(match, slot, until);
    }
    return slots;
  },
  next: (times, after) => firstIn(parse(times), after, after + farthestMs),
  moved: () => [],
});
