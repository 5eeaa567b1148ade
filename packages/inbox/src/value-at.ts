import { isObject } from "@postern/core/internal";

/**
 * The value at a dotted path (`data.object.id`, `items.0`) or at a list of steps. Own members only;
 * `undefined` if there is none.
 */
export const valueAt = (value: unknown, path: string | readonly string[]): unknown => {
  // Most paths are one name, and two are looked up for every event: 250 bytes less.
  if (typeof path === "string" && !path.includes(".")) return memberOf(value, path);
  let here = value;
  for (const name of typeof path === "string" ? path.split(".") : path) {
    here = memberOf(here, name);
    if (here === undefined) return undefined;
  }
  return here;
};

const memberOf = (value: unknown, name: string): unknown => {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  // The line above has just shown it to be an object with that member.
  return (value as Readonly<Record<string, unknown>>)[name];
};

/**
 * A copy of the object with another value at a dotted path. Where the path needs an object and there
 * is none, it makes one, in place of any other value.
 */
export const withValueAt = (
  object: Readonly<Record<string, unknown>>,
  path: string,
  value: unknown,
): Readonly<Record<string, unknown>> => {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...object, [name]: value };
  const member = Object.hasOwn(object, name) ? object[name] : undefined;
  return { ...object, [name]: withValueAt(isObject(member) ? member : {}, rest.join("."), value) };
};
