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
