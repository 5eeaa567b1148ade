import type { CronPlan, CronTimes } from "@postern/core";
import { createTask, type ScheduledTask, validateDetailed } from "node-cron";

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
const weekMs = 7 * 24 * hourMs;
const farthestMs = 5 * 366 * 24 * hourMs;

const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const days = "sun|mon|tue|wed|thu|fri|sat";

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words: readonly string[];
}

const fieldsOfCron: readonly Field[] = [
  { name: "minute", least: 0, most: 59, words: [] },
  { name: "hour", least: 0, most: 23, words: [] },
  { name: "day of month", least: 1, most: 31, words: [] },
  { name: "month", least: 1, most: 12, words: months.split("|") },
  { name: "day of week", least: 0, most: 7, words: days.split("|") },
];

const valueIn = ({ least, words }: Field, text: string): number => {
  const index = words.indexOf(text.toLowerCase());
  return index === -1 ? Number(text) : index + least;
};

const item = /^(?:\*|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,2}))?$/i;

/**
 * Whether a field is plain cron. node-cron accepts more: longer names, `L`, `W`, `#`, and ranges
 * that go backwards.
 */
const isCron = (field: Field, text: string): boolean =>
  text.split(",").every((part) => {
    const [, from, to, step] = item.exec(part) ?? [];
    if (!item.test(part)) return false;
    const first = from === undefined ? field.least : valueIn(field, from);
    const last = from === undefined ? field.most : valueIn(field, to ?? from);
    const isRange = from === undefined || to !== undefined;
    const steps = Number(step ?? 1);
    return (
      first >= field.least &&
      last <= field.most &&
      first <= last &&
      steps >= 1 &&
      steps <= field.most &&
      (isRange || step === undefined)
    );
  });

const partsOf = (cron: string): readonly string[] => cron.trim().split(/\s+/);

const checkTimes = ({ cron, timeZone }: CronTimes): void => {
  const parts = partsOf(cron);
  // A sixth field would be seconds; schedules go by minutes.
  if (parts.length !== 5) throw new TypeError(`"${cron}" does not have the five fields of a cron expression`);
  for (const [index, field] of fieldsOfCron.entries()) {
    const part = parts[index] ?? "";
    if (isCron(field, part)) continue;
    const names = field.words.length === 0 ? "" : ` or ${field.words[0]} to ${field.words.at(-1)}`;
    throw new TypeError(
      `"${cron}": "${part}" is no ${field.name}; write *, numbers from ${field.least} to ${field.most}${names}, ranges (1-5), steps (*/2) or lists of these`,
    );
  }
  const { valid, errors } = validateDetailed(cron);
  if (!valid)
    throw new TypeError(`"${cron}" is not a cron expression: ${errors.map(({ message }) => message).join("; ")}`);
  // Node loads its time zones with the first formatter. A process with all schedules in UTC should
  // not wait for that.
  if (timeZone === "UTC") return;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw new TypeError(`there is no time zone "${timeZone}"`);
  }
};

type Matches = (slot: number) => boolean;

/** How a time is found in large steps: first the day, then the hour, then the minute. */
interface Matchers {
  readonly minute: Matches;
  readonly hour: Matches;
  readonly day: Matches;
}

const matcherOf = (cron: string, timezone: string): Matches => {
  const task: ScheduledTask = createTask(cron, () => undefined, { timezone });
  return (slot) => task.match(new Date(slot));
};

const made = (times: CronTimes): Matchers => {
  checkTimes(times);
  const [, hour, ...date] = partsOf(times.cron);
  return {
    minute: matcherOf(times.cron, times.timeZone),
    hour: matcherOf(["*", hour, ...date].join(" "), times.timeZone),
    day: matcherOf(["*", "*", ...date].join(" "), times.timeZone),
  };
};

/**
 * The start of the quarter of an hour in which `slot` lies. The day, the hour and the clocks change
 * only at such moments.
 */
const quarterOf = (slot: number): number => slot - (slot % quarterMs);

/**
 * The first moment of the next day that matches. It goes in steps of half a day, which is less than
 * the shortest day, and then back to the start of the day.
 */
const nextDay = ({ day }: Matchers, from: number, until: number): number | undefined => {
  let slot = quarterOf(from);
  while (!day(slot)) {
    slot += 12 * hourMs;
    if (slot > until + 24 * hourMs) return undefined;
  }
  while (slot - hourMs > from && day(slot - hourMs)) slot -= hourMs;
  while (slot - quarterMs > from && day(slot - quarterMs)) slot -= quarterMs;
  return slot;
};

/** The first minute that matches, after `after` and not after `until`. */
const firstIn = (matchers: Matchers, after: number, until: number): number | undefined => {
  let slot = (Math.floor(after / minuteMs) + 1) * minuteMs;
  while (slot <= until) {
    if (!matchers.day(slot)) {
      const day = nextDay(matchers, slot, until);
      if (day === undefined) return undefined;
      slot = day;
    } else if (!matchers.hour(slot)) slot = quarterOf(slot) + quarterMs;
    else if (matchers.minute(slot)) return slot;
    else slot += minuteMs;
  }
  return undefined;
};

/**
 * Reads cron expressions with node-cron and its time zones. It starts none of node-cron's timers.
 */
export const nodeCronPlan = (): CronPlan => {
  const known = new Map<string, Matchers>();

  const matchersOf = (times: CronTimes): Matchers => {
    const key = `${times.timeZone} ${times.cron}`;
    const matchers = known.get(key) ?? made(times);
    known.set(key, matchers);
    return matchers;
  };

  return {
    check: checkTimes,
    between: (times, after, until) => {
      const matchers = matchersOf(times);
      const slots: number[] = [];
      let slot = firstIn(matchers, Math.max(after, until - weekMs), until);
      while (slot !== undefined) {
        slots.push(slot);
        slot = firstIn(matchers, slot, until);
      }
      return slots;
    },
    next: (times, after) => firstIn(matchersOf(times), after, after + farthestMs),
  };
};
