import { AppError } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import { type KeyedList, keyedList, type Operation } from "@postern/rest";
import { z } from "zod";

/** Shared by operations on events and jobs: both have numbers as ids, and times in milliseconds. */

export const moment = z.iso.datetime();

/**
 * A moment, or a day, which begins at midnight in UTC. Documents describe it as the moment, as they
 * did before days were taken.
 */
export const orDay = (time: z.ZodType<string>): z.ZodType<string> => {
  const { $schema: _dialect, ...described } = z.toJSONSchema(time);
  return z
    .string()
    .refine((text) => [time, z.iso.date()].some((one) => one.safeParse(text).success), {
      error: "a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31",
    })
    .meta(described);
};

export const momentOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : timestampOf(milliseconds);

/** Ids are whole numbers in plain digits. Any other spelling is not found. */
export const numericId = (what: "event" | "job", text: string | undefined): number => {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw noSuch(what);
};

export const noSuch = (what: "event" | "job"): AppError =>
  new AppError("not_found", { detail: `There is no such ${what}.` });

export const millisecondsOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** The members that have a value. */
export const given = <Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } =>
  // Leaves out every member without a value, and nothing else.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };

type NumberedList<Item> = Omit<KeyedList<Item, number>, "key" | "keyOf" | "description">;

/** A list of events, jobs or entries: newest first, because later ones have larger numbers. */
export const numberedList = <Item extends { readonly id: number }>(list: NumberedList<Item>): Operation =>
  keyedList<Item, number>({
    ...list,
    description: "One page, newest first unless `sort` says otherwise.",
    key: { member: "id", usual: "falling", first: 0 },
    keyOf: ({ id }) => id,
  });
