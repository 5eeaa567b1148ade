/*
 * Every number and every time that the console shows or sends is written here, and nowhere else:
 * `test/console-words.test.ts` holds that.
 */

const number = new Intl.NumberFormat("en");
export const count = (value: number): string => number.format(value);

/** `1 job`, `12 jobs`, `1 entry`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const percent = (share: number): string =>
  `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)}%`;

/** A coordinate in a drawing. */
export const coordinate = (value: number): string => value.toFixed(1);

const two = (value: number): string => String(value).padStart(2, "0");
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The time zone of the browser at this time: `UTC`, `UTC+1`, `UTC−3:30`. */
export const zone = (time: string): string => {
  const minutes = -new Date(time).getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "−" : "+"}${Math.floor(Math.abs(minutes) / 60)}${rest === 0 ? "" : `:${two(rest)}`}`;
};

/** `14:02:07`, in the time zone of the browser. */
const clock = (time: string): string => {
  const at = new Date(time);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
};

/** `14:02:07 UTC+1` */
export const clockOf = (ms: number): string => {
  const time = isoOf(ms);
  return `${clock(time)} ${zone(time)}`;
};

/** `14:02:07.120 UTC+1`, for lines that follow each other within a second. */
export const fineClock = (time: string): string =>
  `${clock(time)}.${String(new Date(time).getMilliseconds()).padStart(3, "0")} ${zone(time)}`;

/** `21 Nov`, with the year if it is another one. */
export const day = (time: string): string => {
  const at = new Date(time);
  const year = at.getFullYear() === new Date().getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${months[at.getMonth()]}${year}`;
};

/** `21 Nov 14:02:07 UTC+1` */
export const moment = (time: string): string => `${day(time)} ${clock(time)} ${zone(time)}`;

/** `14:02`, in the time zone of the browser. */
export const minuteOf = (time: string): string => clock(time).slice(0, 5);

/** `21 Nov`, in UTC, as the API counts days. */
export const dayOf = (time: string): string => {
  const at = new Date(time);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
};

/** A time as the API takes it. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();

const longestHours = 24 * 365 * 10;

/** The start of the last hours, by the minute, so that the address of a request stays the same for a while. */
export const since = (hours: string | undefined): string | undefined => {
  const given = Number(hours);
  if (!(given > 0 && given <= longestHours)) return undefined;
  return isoOf(Math.floor(Date.now() / 60_000) * 60_000 - given * 3_600_000);
};

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** The two largest units: `3 d 4 h`, `12 m`, `0 s`. */
export const span = (ms: number): string => {
  const whole = Math.max(0, ms);
  const at = units.findIndex(([size]) => whole >= size);
  const [size, name] = units[at] ?? [1_000, "s"];
  if (at === -1) return whole === 0 ? "0 s" : `${Math.round(whole)} ms`;
  const next = units[at + 1];
  const rest = next === undefined ? 0 : Math.floor((whole % size) / next[0]);
  const main = Math.floor(whole / size);
  return rest === 0 || main >= 10 || next === undefined
    ? `${count(main)} ${name}`
    : `${main} ${name} ${rest} ${next[1]}`;
};

/** `4 m ago`, or `in 4 m`. */
export const ago = (time: string): string => {
  const ms = Date.now() - Date.parse(time);
  if (Math.abs(ms) < 1_000) return "now";
  return ms >= 0 ? `${span(ms)} ago` : `in ${span(-ms)}`;
};

/** Characters that could hide what a text says: controls, and marks that turn its direction. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with its invisible characters spelled out. Every text of the page goes through it (`visible-texts.ts`). */
export const visible = (text: string): string =>
  text.replace(hidden, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
