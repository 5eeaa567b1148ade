/** The fields of a form body by name, in order; a name that comes more than once has all its values. */
export const parseForm = (text: string): ReadonlyMap<string, readonly string[]> => {
  const fields = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = unescaped(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : unescaped(pair.slice(equals + 1));
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
};

/** Percent signs that stand for nothing are kept, as `URLSearchParams` does. */
const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
};

/** Fields as an object without a prototype; a repeated field is a list. */
export const formObject = (text: string): Readonly<Record<string, unknown>> => {
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, values] of parseForm(text)) object[name] = values.length === 1 ? values[0] : values;
  return object;
};
