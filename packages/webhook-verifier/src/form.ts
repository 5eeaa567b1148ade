import { formFields } from "#platform";
import { refuse } from "./errors.ts";
import { hasMore } from "./json.ts";

/** More than any sender sends. Forms are read before a signature is checked, so anybody may send them. */
const mostFields = 1000;

/** @throws WebhookVerificationError `body_too_large` */
export const checkFields = (text: string): void => {
  if (hasTooManyFields(text)) refuse("body_too_large", `More than ${mostFields} fields.`);
};

const hasTooManyFields = (text: string): boolean => hasMore(text, /&/, mostFields - 1);

/**
 * The fields of a form body by name, in their order. A name that occurs more than once has all its
 * values. @throws WebhookVerificationError `body_too_large`
 */
export const parseForm = (text: string): ReadonlyMap<string, readonly string[]> => {
  checkFields(text);
  const fields = new Map<string, string[]>();
  for (const [name, value] of formFields(text)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
};

/**
 * Fields as an object without a prototype; a repeated field is a list. `undefined` if there are too
 * many of them.
 */
export const formObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (hasTooManyFields(text)) return undefined;
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, values] of parseForm(text)) object[name] = values.length === 1 ? values[0] : values;
  return object;
};
