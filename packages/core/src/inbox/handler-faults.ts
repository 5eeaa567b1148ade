import { jobOptionRules, placeOfHandler } from "../jobs/job-handler.ts";
import { faultsThrownBy, option, optionFaults, required } from "../model/declaration-faults.ts";
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
  schema: option.anObject,
  orderKey: option.aFunction,
  handle: required(option.aFunction),
} satisfies Parameters<typeof optionFaults>[2];

/**
 * What is wrong with a handler's declaration, whether `on` made it or you wrote the object
 * yourself. `at` is its place, in case it has no name.
 */
export const handlerFaults = (handler: unknown, at = "handler"): readonly string[] => {
  const place = placeOfHandler(handler, at);
  const faults = optionFaults(place, handler, rules);
  const schema: unknown = Object(handler).schema;
  if (!option.anObject.is(schema)) return faults;
  const unusable = faultsThrownBy(() => compileSchema(Object(schema)));
  return [...faults, ...unusable.map((fault) => `${place}: ${fault}`)];
};
