import { faultsThrownBy, oneOf, option, optionFaults, required } from "@postern/core/internal";
import { jobOptionRules, placeOfHandler } from "@postern/jobs/internal";
import { compileSchema } from "./payload-schema.ts";
import { providerName } from "./provider.ts";

const rules = {
  ...jobOptionRules,
  provider: required({
    is: (value) => value === "*" || (typeof value === "string" && providerName.test(value)),
    says: "a provider's name (lower-case letters, digits and hyphens), or *",
  }),
  type: required(option.aText),
  where: option.anObject,
  integers: oneOf("bigint", "text", "number"),
  schema: option.anObject,
  orderKey: option.aFunction,
  handle: required(option.aFunction),
} satisfies Parameters<typeof optionFaults>[2];

/** Numbers that are no longer those that you wrote. */
const roundedFaults = (place: string, where: unknown): readonly string[] =>
  Object.entries(Object(where)).flatMap(([path, wanted]) => {
    const rounded = [wanted].flat().find((value) => Number.isInteger(value) && !Number.isSafeInteger(value));
    if (rounded === undefined) return [];
    return [
      `${place}: JavaScript has rounded the number ${rounded} of where "${path}"; write it as bigint, with n at its end`,
    ];
  });

/**
 * What is wrong with a handler's declaration, whether `on` made it or you wrote the object
 * yourself. `at` is its place, in case it has no name.
 */
export const handlerFaults = (handler: unknown, at = "handler"): readonly string[] => {
  const place = placeOfHandler(handler, at);
  const { schema, where } = Object(handler);
  const faults = [...optionFaults(place, handler, rules), ...roundedFaults(place, where)];
  if (!option.anObject.is(schema)) return faults;
  const unusable = faultsThrownBy(() => compileSchema(Object(schema)));
  return [...faults, ...unusable.map((fault) => `${place}: ${fault}`)];
};
