import { type CronPlan, cronFields } from "@postern/core/parts";

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

/** How many days each month has at the most. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Among the days of a month: its last one. */
export const lastDay = 0;

const valueIn = ({ least, words }: Field, text: string): number => {
  const index = words.indexOf(text.toLowerCase());
  return index === -1 ? Number(text) : index + least;
};

const item = /^(?:\*|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,2}))?$/i;

/** The values that one item of a field names; none if it is not plain cron. */
const valuesOf = (field: Field, part: string): readonly number[] => {
  if (field.name === "day of month" && part.toUpperCase() === "L") return [lastDay];
  const [found, from, to, step] = item.exec(part) ?? [];
  const first = from === undefined ? field.least : valueIn(field, from);
  const last = from === undefined ? field.most : valueIn(field, to ?? from);
  const isRange = from === undefined || to !== undefined;
  const steps = Number(step ?? 1);
  const isPlain =
    found !== undefined &&
    first >= field.least &&
    last <= field.most &&
    steps >= 1 &&
    steps <= field.most &&
    (isRange || step === undefined);
  if (!isPlain) return [];
  return Array.from({ length: Math.max(0, Math.floor((last - first) / steps) + 1) }, (_, n) => first + n * steps);
};

export type CronTimes = Parameters<CronPlan["check"]>[0];

/** The values of the five fields, in order. */
export type CronValues = readonly ReadonlySet<number>[];

/** @throws TypeError that says what is wrong with the expression. */
export const cronValues = (cron: string): CronValues => {
  const parts = cronFields(cron);
  // A sixth field would be seconds; schedules go by minutes.
  if (parts.length !== 5)
    throw new TypeError(
      `"${cron}" does not have the five fields of a cron expression, and is not one of @hourly, @daily, @weekly, @monthly and @yearly`,
    );
  const values = fieldsOfCron.map((field, index) => {
    const part = parts[index] ?? "";
    const named = part.split(",").map((one) => valuesOf(field, one));
    if (named.every((one) => one.length > 0)) return new Set(named.flat());
    const names = field.words.length === 0 ? "" : ` or ${field.words[0]} to ${field.words.at(-1)}`;
    const last = field.name === "day of month" ? ", L for the last day" : "";
    throw new TypeError(
      `"${cron}": "${part}" is no ${field.name}; write *, numbers from ${field.least} to ${field.most}${names}, ranges (1-5), steps (*/2)${last} or lists of these`,
    );
  });
  const [, , dates = new Set(), inMonths = new Set()] = values;
  const longest = Math.max(...[...inMonths].map((month) => monthDays[month - 1] ?? 0));
  if (Math.min(...dates) > longest) throw new TypeError(`"${cron}": no such month has a day ${Math.min(...dates)}`);
  return values;
};

/** @throws TypeError that says what is wrong with the expression or the time zone. */
export const checkTimes = ({ cron, timeZone }: CronTimes): void => {
  cronValues(cron);
  // Node loads its time zones with the first formatter. A process with all schedules in UTC should
  // not wait for that.
  if (timeZone === "UTC") return;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw new TypeError(`there is no time zone "${timeZone}"`);
  }
};
