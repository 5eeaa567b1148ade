import { AppError } from "@postern/core";
import { type KeyedList, keyedList, type Operation } from "@postern/rest";

/** Ids are whole numbers in plain digits. Any other spelling is not found. */
export const numericId = (what: "event" | "job", text: string | undefined): number => {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw noSuch(what);
};

export const noSuch = (what: "event" | "job"): AppError =>
  new AppError("not_found", { detail: `There is no such ${what}.` });

type NumberedList<Item> = Omit<KeyedList<Item, number>, "key" | "keyOf" | "description">;

/** A list of events, jobs or entries: newest first, because later ones have larger numbers. */
export const numberedList = <Item extends { readonly id: number }>(list: NumberedList<Item>): Operation =>
  keyedList<Item, number>({
    ...list,
    description: "One page, newest first unless `sort` says otherwise.",
    key: { member: "id", usual: "falling", first: 0 },
    keyOf: ({ id }) => id,
  });
