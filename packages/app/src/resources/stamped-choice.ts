import type { FieldValue } from "@postern/core";
import { type Field, jsonObject } from "@postern/core";
import { type Settled, timestampText } from "@postern/core/internal";
import { z } from "zod";

/**
 * One of a closed set of words, with the time since when it has had this value:
 * `{ status, since }`. The server sets `since` when the word changes; it is null for the word with
 * which a row begins. When you write it, leave `since` out or send it as you read it.
 */
export const stampedChoice = (
  values: readonly [string, ...string[]],
  options: Parameters<typeof jsonObject>[0] & { readonly initial: string; readonly what: string },
): Field => {
  const { initial, what, ...rest } = options;
  const schema = z.strictObject({
    status: z.enum(values).meta({ description: what }),
    since: timestampText
      .nullable()
      .default(null)
      .meta({ description: "The time since which it has had this value; null if it has had it from the beginning." }),
  });
  const settle = (given: FieldValue, stored: FieldValue | undefined, now: string): Settled => {
    const next = schema.parse(given);
    const before = schema.safeParse(stored).data ?? { status: initial, since: null };
    if (next.since !== null && next.since !== before.since) return { fixed: "since" };
    return { value: next.status === before.status ? before : { status: next.status, since: now } };
  };
  return { ...jsonObject({ ...rest, default: { status: initial, since: null } }), schema, settle };
};
