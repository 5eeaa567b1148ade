const number = new Intl.NumberFormat("en");
export const count = (value: number): string => number.format(value);

export const percent = (share: number): string =>
  `${share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)}%`;

const two = (value: number): string => String(value).padStart(2, "0");
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `14:02:07`, in the time zone of the browser. */
const clock = (time: string): string => {
  const at = new Date(time);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
};

/** `21 Nov 14:02:07`, with the year if it is another one. */
export const moment = (time: string): string => {
  const at = new Date(time);
  const year = at.getFullYear() === new Date().getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${months[at.getMonth()]}${year} ${clock(time)}`;
};

/** `14:02`, in the time zone of the browser. */
export const minuteOf = (time: string): string => clock(time).slice(0, 5);

/** `21 Nov`, in UTC, as the API counts days. */
export const dayOf = (time: string): string => {
  const at = new Date(time);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
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
  return rest === 0 || main >= 10 || next === undefined ? `${main} ${name}` : `${main} ${name} ${rest} ${next[1]}`;
};

/** `4 m ago`, or `in 4 m`. */
export const ago = (time: string): string => {
  const ms = Date.now() - Date.parse(time);
  if (Math.abs(ms) < 1_000) return "now";
  return ms >= 0 ? `${span(ms)} ago` : `in ${span(-ms)}`;
};

/** Characters that could hide what a text says: controls, and marks that turn its direction. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with its invisible characters spelled out. */
export const visible = (text: string): string =>
  text.replace(hidden, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
