import { z } from "zod";

/** Characters that no text may contain: NUL and lone surrogates do not survive every database. */
const unstorable = /[\0\p{Cs}]/u;
/**
 * How many characters (code points) a text has. It builds no list of them: for a text of a
 * megabyte, that would block all other requests.
 */
export const characterCount = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1, count += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
  return count;
};

/**
 * Cuts a text into pieces of at most `length` UTF-16 units; `length` is at least 2. Both units of a
 * character beyond the basic plane stay in one piece, so each piece can be encoded alone.
 */
export function* piecesOf(text: string, length: number): Generator<string, undefined, undefined> {
  for (let from = 0; from < text.length; ) {
    const last = text.charCodeAt(from + length - 1);
    const to = from + length - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}

/** Whether every text in a JSON value, names included, survives every database. */
export const isStorable = (value: unknown): boolean => {
  if (typeof value === "string") return !unstorable.test(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => !unstorable.test(name) && isStorable(member));
};

const eachUnstorable = new RegExp(unstorable, "gu");

/** A text with U+FFFD in the place of each character that some database cannot store. */
export const storable = (text: string): string => text.replaceAll(eachUnstorable, "\ufffd");

/**
 * Control, line-breaking and direction-changing characters. A one-line text that contains them can
 * look like something else.
 */
const misleading = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/**
 * The same characters as a class that every dialect of regular expressions understands, for
 * documents.
 */
const misleadingClass =
  "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const oneLinePattern = (minLength: number): string =>
  minLength === 0
    ? `^[^${misleadingClass}]*$`
    : `^[^${misleadingClass}]*[^\\s${misleadingClass}][^${misleadingClass}]*$`;

const bounded = (minLength: number, maxLength: number) => z.string().min(minLength).max(maxLength);

/** One line of text. */
export const shortText = (minLength: number, maxLength: number) =>
  bounded(minLength, maxLength)
    .refine((value) => !unstorable.test(value) && !misleading.test(value), {
      error: "no control, line-break or text-direction characters and no lone surrogates",
    })
    .refine((value) => minLength === 0 || value.trim() !== "", { error: "not only white space" })
    .meta({ pattern: oneLinePattern(minLength) });

/** Text with line breaks. */
export const longText = (minLength: number, maxLength: number) =>
  bounded(minLength, maxLength)
    .refine((value) => !unstorable.test(value), {
      error: "no NUL characters and no lone surrogates",
    })
    .meta({ pattern: "^[^\\u0000]*$" });

/** The canonical spelling of an id. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const uuidText = z.string().regex(uuidPattern).meta({ format: "uuid" });

export const timestampText = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, { error: "a time such as 2026-01-31T12:00:00.000Z" })
  .meta({ format: "date-time" });

/** RFC 3339, section 5.6, in full: `T` and `Z` in either case, any fraction, any offset, and leap seconds. */
const dateTime =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** The moment in milliseconds since the epoch; `undefined` for a text that names none. A leap second is the next second. */
const momentOf = (text: string): number | undefined => {
  const [, day = "", minute = "", second = "", fraction = "", offset = ""] = dateTime.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00.000Z`);
  // JavaScript reads the 30th of February as the 2nd of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const isLeap = second === "60";
  const whole = Date.parse(`${day}T${minute}:${isLeap ? "59" : second}.000${offset.toUpperCase()}`);
  // Leap seconds are put in at the end of a day in UTC, and nowhere else.
  if (isLeap && whole % 86_400_000 !== 86_399_000 && whole % 86_400_000 !== -1_000) return undefined;
  return whole + (isLeap ? 1000 : 0) + Number(fraction.slice(0, 3).padEnd(3, "0"));
};

/**
 * A time with any offset in its canonical spelling: UTC, with three decimals. Further decimals are
 * cut off.
 */
export const instantText = z
  .string()
  .max(64)
  .transform((text, context) => {
    const moment = momentOf(text);
    if (moment !== undefined) return timestampOf(moment);
    context.addIssue({ code: "custom", message: "a time such as 2026-01-31T12:00:00Z" });
    return z.NEVER;
  })
  .pipe(timestampText)
  .meta({ format: "date-time" });

/** Formats milliseconds since the epoch as the API and the tables write times. */
export const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
