import { timestampOf } from "@postern/core/internal";
import { z } from "zod";

/** A time in an answer or a question: RFC 3339. Stores have milliseconds since the epoch. */
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

export const millisecondsOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);
