import { z } from "zod";

/** What no text takes: NUL and lone surrogates do not survive every database. */
const unstorable = /[\0\p{Cs}]/u;
/** Whether every text in a JSON value, names included, survives every database. */
export const isStorable = (value: unknown): boolean => {
  if (typeof value === "string") return !unstorable.test(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => !unstorable.test(name) && isStorable(member));
};

/** Control, line-breaking and direction-changing characters: a one-line text that holds them can show as something else than it is. */
const misleading = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const bounded = (minLength: number, maxLength: number) => z.string().min(minLength).max(maxLength);

/** One line of text. */
export const shortText = (minLength: number, maxLength: number) =>
  bounded(minLength, maxLength)
    .refine((value) => !unstorable.test(value) && !misleading.test(value), {
      error: "no control, line-break or text-direction characters and no lone surrogates",
    })
    .refine((value) => minLength === 0 || value.trim() !== "", { error: "not only white space" });

/** Text with line breaks. */
export const longText = (minLength: number, maxLength: number) =>
  bounded(minLength, maxLength).refine((value) => !unstorable.test(value), {
    error: "no NUL characters and no lone surrogates",
  });

/** The one spelling of an id. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const uuidText = z.string().regex(uuidPattern).meta({ format: "uuid" });

export const timestampText = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, { error: "a time such as 2026-01-31T12:00:00Z" })
  .meta({ format: "date-time" });

/** A moment with any offset, in its one spelling. */
export const instantText = z.iso
  .datetime({ offset: true, error: "a time such as 2026-01-31T12:00:00Z" })
  .transform((text) => timestampOf(Date.parse(text)))
  .pipe(timestampText);

/** Milliseconds since the epoch as the API and the tables write a moment. */
export const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
