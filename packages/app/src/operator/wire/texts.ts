import { isStorable } from "@postern/core/internal";
import { z } from "zod";

/** The id of an event as a value: another spelling is a fault. */
export const eventIdText = z
  .string()
  .max(15)
  .regex(/^[1-9]\d{0,14}$/, { error: "an event's id" });

/** The id of a cause, which is the only one that is not a number. */
export const causeText = z
  .string()
  .max(12)
  .regex(/^[A-Za-z0-9]{12}$/, { error: "the id of a cause: 12 letters and digits" });

/** A text that every database can store. A pattern would change the documents of published versions. */
export const storableText = (mostCharacters: number) =>
  z.string().max(mostCharacters).refine(isStorable, { error: "no NUL characters and no lone surrogates" });

/** A type of events, or a pattern. */
export const typeText = storableText(128).meta({
  description: "The type, or a pattern in which `*` stands for any run of characters, such as `invoice.*`.",
});

/**
 * The name of a sender, a handler, a queue or the like. No such name has other characters, and MySQL
 * cannot compare its columns with them.
 */
export const nameText = (mostCharacters: number) =>
  z
    .string()
    .max(mostCharacters)
    .refine((text) => /^[ -~]*$/.test(text), { error: "only letters, digits and signs of ASCII" });
