import { z } from "zod";
import { exampleEvent } from "./examples.ts";
import { storableText } from "./texts.ts";

/** Why a person discards or overrules, as they give it in a request. */
export const operatorReason = storableText(500)
  .min(1)
  .meta({
    description: "Why, for other administrators. It is kept with the event.",
    examples: ["sent in error"],
  });

/** What the body of a request says to overrule what senders promise. */
export const overrulingFields = {
  overrule: z.boolean().default(false).meta({
    description:
      "Also runs an event that lacks what its sender promises: an id, a type, a member, JSON. Needs `reason`. Bounds and schemas of handlers stay.",
  }),
  reason: operatorReason
    .optional()
    .meta({ description: "With `overrule`: why, for other administrators. It is kept with the event." }),
  as_type: storableText(128)
    .min(1)
    .optional()
    .meta({
      description: "With `overrule`: the type of an event to which its sender gave none.",
      examples: [exampleEvent.type],
    }),
};

interface OverrulingBody {
  readonly overrule: boolean;
  readonly reason?: string | undefined;
  readonly as_type?: string | undefined;
}

/** Refuses a body that overrules without a reason, or the reverse. */
export const checkOverruling = <Schema extends z.ZodType<OverrulingBody>>(schema: Schema): Schema =>
  schema
    .refine(({ overrule, reason }) => overrule === (reason !== undefined), {
      error: "overrule and reason are given together",
      path: ["reason"],
    })
    .refine(({ overrule, as_type }) => overrule || as_type === undefined, {
      error: "as_type needs overrule",
      path: ["as_type"],
    });

/** The same as the core takes it; `undefined` if nothing is overruled. */
export const overrulingOf = ({ reason, as_type: asType }: OverrulingBody) =>
  reason === undefined ? undefined : { reason, asType };
