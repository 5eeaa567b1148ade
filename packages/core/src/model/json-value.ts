/** The deepest nesting. Beyond it, `JSON.stringify` may end with a full stack. */
const deepest = 500;

const named = (value: object): string => {
  const name: unknown = Reflect.get(Object(Reflect.get(value, "constructor")), "name");
  return typeof name === "string" && name !== "" ? name : "class";
};

/** What to write instead, for the values that people store most often. */
const remedies: Readonly<Record<string, string>> = {
  Date: "write its toISOString()",
  Map: "write Object.fromEntries(…) or a list of its entries",
  Set: "write a list of its values",
  Error: "write its message",
  URL: "write its href",
};

const objectFault = (value: object): string | undefined => {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object of another realm has another `Object.prototype`, which ends its chain as well.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (isPlain) return typeof Reflect.get(value, "toJSON") === "function" ? "an object with toJSON" : undefined;
  const kind = value instanceof Error ? "Error" : named(value);
  if (ArrayBuffer.isView(value)) return `bytes (${kind}); write them in base64`;
  return `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}; ${remedies[kind] ?? "write a plain object"}`;
};

const leafFault = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${value}; JSON has only finite numbers`;
    case "bigint":
      return "a bigint; write it as text";
    case "undefined":
      return "undefined; write null, or leave it out";
    default:
      return `a ${typeof value}; JSON has none`;
  }
};

/**
 * Why a value would not come back from JSON as it is, with its place: `payload.at: a Date; write
 * its toISOString()`. `undefined` if it comes back. A member of an object may be undefined: it is
 * left out, and reads as undefined again. Never throws.
 */
export const jsonFault = (value: unknown, place: string, depth = 0): string | undefined => {
  if (value === null) return undefined;
  if (typeof value !== "object") {
    const fault = leafFault(value);
    return fault === undefined ? undefined : `${place}: ${fault}`;
  }
  if (depth > deepest) return `${place.slice(0, 80)}…: nested more than ${deepest} levels deep, or in a circle`;
  try {
    if (Array.isArray(value)) {
      // By index, because `forEach` and `for … of` treat holes differently.
      for (let at = 0; at < value.length; at += 1) {
        const fault = jsonFault(value[at], `${place}[${at}]`, depth + 1);
        if (fault !== undefined) return fault;
      }
      return undefined;
    }
    const own = objectFault(value);
    if (own !== undefined) return `${place}: ${own}`;
    for (const [name, member] of Object.entries(value)) {
      const fault = member === undefined ? undefined : jsonFault(member, `${place}.${name}`, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  } catch {
    return `${place}: it cannot be read`;
  }
};
