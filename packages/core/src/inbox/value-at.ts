/**
 * The value at a dotted path (`data.object.id`, `items.0`) or at a list of steps. Own members only;
 * `undefined` if there is none.
 */
export const valueAt = (value: unknown, path: string | readonly string[]): unknown => {
  let here = value;
  for (const name of typeof path === "string" ? path.split(".") : path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    // The line above has just shown it to be an object with that member.
    here = (here as Readonly<Record<string, unknown>>)[name];
  }
  return here;
};
