import type { Telemetry } from "@postern/core/ports";

const mostValues = 100;
const mostDepth = 4;
const longestName = 64;
const longestText = 512;
const cannotRead = "[cannot be read]";

type WithoutSecrets = NonNullable<Telemetry["withoutSecrets"]>;
type Plain = string | number | boolean | null;

/** The first names of members. Of a list with millions, no others are made. */
export const keysOf = (value: object, most: number): readonly string[] => {
  if (Array.isArray(value)) return Array.from({ length: Math.min(value.length, most) }, (_, index) => String(index));
  const keys: string[] = [];
  for (const key in value) {
    if (keys.length >= most) break;
    if (Object.hasOwn(value, key)) keys.push(key);
  }
  return keys;
};

/**
 * The members of a hostile object as JSON, without what looks like a credential by its name or its
 * form. At most 100 values, 4 deep. Never throws, unless `withoutSecrets` does.
 */
export const readableMembers = (thrown: object, withoutSecrets: WithoutSecrets): string => {
  let left = mostValues;

  const safe = (name: string, value: Plain): Plain => {
    const field = name === "" ? "value" : name;
    const { fields } = withoutSecrets({ message: "", fields: { [field]: value } });
    return Object.values(fields)[0] ?? null;
  };

  const plain = (value: unknown): Plain | undefined => {
    if (value === null || typeof value === "boolean" || typeof value === "number") return value;
    if (typeof value === "string") return value.slice(0, longestText);
    return typeof value === "bigint" ? `${String(value).slice(0, longestText)}n` : undefined;
  };

  const copied = (name: string, value: unknown, depth: number): unknown => {
    left -= 1;
    if (typeof value !== "object" || value === null) {
      const written = plain(value);
      return written === undefined ? undefined : safe(name, written);
    }
    // What a credential is called may be the name of an object that holds it.
    if (name !== "" && safe(name, "x") !== "x") return safe(name, "x");
    if (depth >= mostDepth) return "[…]";
    try {
      if (value instanceof Error)
        return safe(name, `${String(value.name)}: ${String(value.message)}`.slice(0, longestText));
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
      const entries = keysOf(value, left).map((key): [string, unknown] => {
        const short = key.slice(0, longestName);
        if (left <= 0) return [short, undefined];
        try {
          return [short, copied(Array.isArray(value) ? name : short, Reflect.get(value, key), depth + 1)];
        } catch {
          return [short, cannotRead];
        }
      });
      return Array.isArray(value) ? entries.map(([, member]) => member ?? null) : Object.fromEntries(entries);
    } catch {
      return cannotRead;
    }
  };

  return JSON.stringify(copied("", thrown, 0)) ?? cannotRead;
};
