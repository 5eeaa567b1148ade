import { AppError } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import type { Call } from "@postern/rest";
import { numberedPlace, placeIn } from "@postern/rest";
import { z } from "zod";

/** What operations on events and jobs share: both have numbers, and times in milliseconds. */

export const moment = z.iso.datetime();

export const momentOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : timestampOf(milliseconds);

/** Numbers are whole, in plain digits; any other spelling names nothing. */
export const numericId = (what: "event" | "job", text: string | undefined): number => {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw noSuch(what);
};

export const noSuch = (what: "event" | "job"): AppError =>
  new AppError("not_found", { detail: `There is no such ${what}.` });

/** The place of a page that goes from newer to older ids. */
export const before = async (call: Call, list: string, cursor: string | undefined): Promise<{ before?: number }> =>
  cursor === undefined ? {} : { before: await placeIn(call.cursors, list, cursor, numberedPlace) };
