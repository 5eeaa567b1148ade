import { cronFields } from "@postern/core/internal";
import type { CronTimes } from "@postern/core/ports";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** More times of a day than this are not listed. */
const mostTimes = 6;

interface Field {
  /** The values in order; `undefined` for all. */
  readonly values: readonly number[] | undefined;
  /** The step of a rhythm over the whole field, such as 15 in `*` `/15`. */
  readonly step: number | undefined;
}

/** Reads what cron expressions may have, given that the plan has checked them. */
const fieldOf = (text: string, from: number, to: number, names: readonly string[] = []): Field => {
  const numberOf = (word: string): number => {
    const at = names.findIndex((name) => name.slice(0, 3).toLowerCase() === word.toLowerCase());
    return at === -1 ? Number(word) : at + (names === months ? 1 : 0);
  };
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [first = "", last = first] = range === "*" ? [String(from), String(to)] : range.split("-");
    const end = part.includes("/") && !range.includes("-") ? to : numberOf(last);
    for (let value = numberOf(first); value <= end; value += Number(step)) values.add(value);
  }
  const [, step] = /^\*\/(\d+)$/.exec(text) ?? [];
  const isAll = values.size === to - from + 1;
  const isEven = step !== undefined && (to - from + 1) % Number(step) === 0;
  return {
    values: isAll ? undefined : [...values].toSorted((left, right) => left - right),
    step: isEven ? Number(step) : undefined,
  };
};

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const two = (value: number): string => String(value).padStart(2, "0");

/** `from 8 to 18` as its ends, if the values follow each other. */
const endsOf = (values: readonly number[]): readonly [number, number] | undefined => {
  const [first = 0] = values;
  const last = values.at(-1) ?? first;
  return values.length > 2 && last - first === values.length - 1 ? [first, last] : undefined;
};

const everyOf = (count: number, what: string): string => (count === 1 ? `every ${what}` : `every ${count} ${what}s`);

/** The times of a day; `isFixed` if they are named one by one. */
const timeWords = (minute: Field, hour: Field): { readonly isFixed: boolean; readonly words: string } | undefined => {
  const hours = hour.values;
  const minutes = minute.values;
  const every = minutes === undefined ? 1 : minute.step;
  const rhythm = every === undefined ? undefined : everyOf(every, "minute");
  if (rhythm !== undefined) {
    if (hours === undefined) return { isFixed: false, words: rhythm };
    const ends = hours.length === 1 ? ([hours[0] ?? 0, hours[0] ?? 0] as const) : endsOf(hours);
    const within = ends && `${rhythm} from ${two(ends[0])}:00 to ${two(ends[1])}:59`;
    return within === undefined ? undefined : { isFixed: false, words: within };
  }
  if (minutes === undefined) return undefined;
  if (hours === undefined || hour.step !== undefined) {
    const at = `at minute${minutes.length === 1 ? "" : "s"} ${listed(minutes.map(String))}`;
    const isFull = minutes.length === 1 && minutes[0] === 0;
    if (minutes.length > mostTimes) return undefined;
    return { isFixed: false, words: `${everyOf(hour.step ?? 1, "hour")}${isFull ? "" : ` ${at}`}` };
  }
  const times = hours.flatMap((one) => minutes.map((other) => `${two(one)}:${two(other)}`));
  if (times.length <= mostTimes) return { isFixed: true, words: `at ${listed(times)}` };
  const ends = minutes.length === 1 ? endsOf(hours) : undefined;
  const [only = 0] = minutes;
  if (ends === undefined) return undefined;
  return { isFixed: false, words: `every hour from ${two(ends[0])}:${two(only)} to ${two(ends[1])}:${two(only)}` };
};

const dayWords = (day: string, month: string, weekday: string): string | undefined => {
  const inYear = fieldOf(month, 1, 12, months).values?.map((value) => months[value - 1] ?? "");
  const inWeek = fieldOf(weekday.replaceAll("7", "0"), 0, 6, weekdays).values;
  const ends = inWeek && endsOf(inWeek);
  const names = inWeek?.map((value) => weekdays[value] ?? "");
  const week = ends ? `${weekdays[ends[0]]} to ${weekdays[ends[1]]}` : names && `every ${listed(names)}`;
  if (day === "*") {
    const year = inYear === undefined ? "" : ` in ${listed(inYear)}`;
    return `${week ?? "every day"}${year}`;
  }
  const days = day.toUpperCase() === "L" ? undefined : (fieldOf(day, 1, 31).values ?? []);
  if (days?.some(Number.isNaN)) return undefined;
  const date = days === undefined ? "the last day" : `day${days.length === 1 ? "" : "s"} ${listed(days.map(String))}`;
  const of = (all: string): string => `${date} of ${inYear === undefined ? all : listed(inYear)}`;
  return week === undefined ? `on ${of("each month")}` : `${week} that is ${of("its month")}`;
};

/** The times of a schedule in words, with the time zone: `every day at 03:00 (Europe/Berlin)`. */
export const cronWords = ({ cron, timeZone }: CronTimes): string => {
  const [minute = "*", hour = "*", day = "*", month = "*", weekday = "*"] = cronFields(cron);
  const time = timeWords(fieldOf(minute, 0, 59), fieldOf(hour, 0, 23));
  const days = dayWords(day, month, weekday);
  if (time === undefined || days === undefined) return `at the times of ${cronFields(cron).join(" ")} (${timeZone})`;
  const { isFixed, words } = time;
  if (isFixed) return `${days} ${words} (${timeZone})`;
  return days === "every day" ? `${words} (${timeZone})` : `${words}, ${days} (${timeZone})`;
};
