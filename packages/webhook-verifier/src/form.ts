import { textOf } from "#platform";
import { jsonText } from "./json.ts";
import { URLSearchParams } from "./runtime.ts";

/**
 * The fields of a form body by name, in their order. A name that occurs more than once has all its
 * values.
 */
export const parseForm = (text: string): ReadonlyMap<string, readonly string[]> => {
  const fields = new Map<string, string[]>();
  // A leading question mark would be read as the start of a query and dropped.
  for (const [name, value] of new URLSearchParams(`&${text}`)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
};

/** Fields as an object without a prototype; a repeated field is a list. */
export const formObject = (text: string): Readonly<Record<string, unknown>> => {
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, values] of parseForm(text)) object[name] = values.length === 1 ? values[0] : values;
  return object;
};

/**
 * Reads JSON or a form. Of a form it returns the field `payload` as JSON if there is one, otherwise
 * what `otherwise` makes of the form. `undefined` if the text looks like JSON but is not.
 */
export const jsonOrForm = (body: Uint8Array, otherwise: (form: string) => unknown): unknown => {
  const text = textOf(body);
  if (text === undefined) return undefined;
  if (/^\s*[[{]/.test(text)) return jsonText(text);
  const [payload, ...more] = new URLSearchParams(`&${text}`).getAll("payload");
  return payload !== undefined && more.length === 0 ? jsonText(payload) : otherwise(text);
};
