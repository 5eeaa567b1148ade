import { cronFields } from "@postern/core/internal";
import type { CronPlan } from "@postern/core/ports";
import { validateDetailed } from "node-cron";

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
 * Whether a field is plain cron. node-cron accepts more: longer names, `W`, `#`, `L` in other
 * places, and ranges that go backwards.
 */
const isCron = (field: Field, text: string): boolean =>
  text.split(",").every((part) => {
    if (field.name === "day of month" && part.toUpperCase() === "L") return true;
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

export type CronTimes = Parameters<CronPlan["check"]>[0];

/** @throws TypeError that says what is wrong with the expression or the time zone. */
export const checkTimes = ({ cron, timeZone }: CronTimes): void => {
  const parts = cronFields(cron);
  // A sixth field would be seconds; schedules go by minutes.
  if (parts.length !== 5)
    throw new TypeError(
      `"${cron}" does not have the five fields of a cron expression, and is not one of @hourly, @daily, @weekly, @monthly and @yearly`,
    );
  for (const [index, field] of fieldsOfCron.entries()) {
    const part = parts[index] ?? "";
    if (isCron(field, part)) continue;
    const names = field.words.length === 0 ? "" : ` or ${field.words[0]} to ${field.words.at(-1)}`;
    const last = field.name === "day of month" ? ", L for the last day" : "";
    throw new TypeError(
      `"${cron}": "${part}" is no ${field.name}; write *, numbers from ${field.least} to ${field.most}${names}, ranges (1-5), steps (*/2)${last} or lists of these`,
    );
  }
  // Only a day of certain months can be impossible. node-cron takes milliseconds to read all fields.
  if (parts[2] !== "*" && parts[3] !== "*") {
    const { valid, errors } = validateDetailed(parts.join(" "));
    if (!valid)
      throw new TypeError(`"${cron}" is not a cron expression: ${errors.map(({ message }) => message).join("; ")}`);
  }
  // Node loads its time zones with the first formatter. A process with all schedules in UTC should
  // not wait for that.
  if (timeZone === "UTC") return;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw new TypeError(`there is no time zone "${timeZone}"`);
  }
};
