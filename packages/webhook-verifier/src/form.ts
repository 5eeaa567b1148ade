import { formFields, textOf } from "#platform";
import { refuse } from "./errors.ts";
import { hasMore, jsonText } from "./json.ts";

/** More than any sender sends. Forms are read before a signature is checked, so anybody may send them. */
const mostFields = 1000;

/**
 * As many values as the JSON in a form may have: escapes hide them from whatever counts them in the
 * body. Marks inside texts count too.
 */
const mostValues = 100_000;

const hasTooManyFields = (text: string): boolean => hasMore(text, /&/, mostFields - 1);

/**
 * The fields of a form body by name, in their order. A name that occurs more than once has all its
 * values. @throws WebhookVerificationError `body_too_large`
 */
export const parseForm = (text: string): ReadonlyMap<string, readonly string[]> => {
  if (hasTooManyFields(text)) refuse("body_too_large", `More than ${mostFields} fields.`);
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

/**
 * Makes the `parse` of a scheme whose bodies are JSON or a form. Of a form it returns the field
 * `payload` as JSON if there is one, otherwise what `otherwise` makes of the form. `undefined` if
 * the text looks like JSON but is not, or if the form has too many fields or values.
 */
export const jsonOrForm = (otherwise: (form: string) => unknown): ((body: Uint8Array) => unknown) & { readsJson: 1 } =>
  Object.assign(
    (body: Uint8Array): unknown => {
      const text = textOf(body);
      if (text === undefined) return undefined;
      if (/^\s*[[{]/.test(text)) return jsonText(text);
      if (hasTooManyFields(text)) return undefined;
      const [payload, ...more] = parseForm(text).get("payload") ?? [];
      if (payload === undefined || more.length > 0) return otherwise(text);
      return hasMore(payload, /[,[{]/, mostValues) ? undefined : jsonText(payload);
    },
    // For the outline of a body.
    { readsJson: 1 } as const,
  );
