import { utf8Decode } from "@postern/core/internal";
import { isTooDeep } from "./payload-depth.ts";

/** How whole numbers beyond 2^53 are given: a double would change their last digits. */
export type Integers = "bigint" | "text" | "number";

/** A number has to have this many digits before a double may be too short for it. */
const shortest = 16;
/** Longer numbers stay doubles: to read digits takes the square of their number. */
const longest = 1_000;

const [zero, nine] = [0x30, 0x39];

/** Whether bytes have a run of so many digits that a number may be in it which is no double. */
export const hasLongDigits = (bytes: Uint8Array): boolean => {
  // Every run covers one of the bytes at a distance of `shortest`, so most bytes need not be read.
  for (let at = shortest - 1; at < bytes.length; at += shortest) {
    const byte = bytes[at] ?? 0;
    if (byte < zero || byte > nine) continue;
    let [first, last] = [at, at];
    while (isDigit(bytes[first - 1])) first -= 1;
    while (isDigit(bytes[last + 1])) last += 1;
    if (last - first + 1 >= shortest) return true;
  }
  return false;
};

/** JSON in which whole numbers that a double cannot hold are of type `bigint`; `undefined` if it is none. */
export const exactJson = (bytes: Uint8Array): unknown => {
  try {
    return exactValue(JSON.parse(utf8Decode(bytes)), bytes);
  } catch {
    return undefined;
  }
};

const isDigit = (byte = 0): boolean => byte >= zero && byte <= nine;

/** Texts, and numbers with everything that belongs to them. The text is JSON. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const isLong = (literal: string): boolean =>
  /^-?\d+$/.test(literal) && literal.length <= longest && !Number.isSafeInteger(Number(literal));

/** A beginning that no text of the value has. */
const freeMark = (value: unknown): string => {
  const used = new Set(Array.from(JSON.stringify(value).matchAll(/"integer(\d{1,9}):/g), ([, count]) => count));
  let count = 0;
  while (used.has(String(count))) count += 1;
  return `integer${count}:`;
};

type Change = (value: unknown) => unknown;

/** The value with every leaf changed. Names stay, `__proto__` too, as after `JSON.parse`. */
const mapped = (value: unknown, change: Change): unknown => {
  if (typeof value !== "object" || value === null) return change(value);
  if (Array.isArray(value)) return value.map((member) => mapped(member, change));
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(made, name, {
      value: mapped(member, change),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return made;
};

/**
 * The value of a JSON text in which whole numbers that a double cannot hold are of type `bigint`.
 * `value` is what `JSON.parse` made of the text. It is returned if it holds everything, or is nested
 * too deeply to be handled at all.
 */
export const exactValue = (value: unknown, bytes: Uint8Array): unknown => {
  if (value === undefined || !hasLongDigits(bytes) || isTooDeep(value)) return value;
  const text = utf8Decode(bytes);
  const mark = freeMark(value);
  let found = false;
  const marked = text.replace(token, (literal) => {
    if (literal.startsWith('"') || !isLong(literal)) return literal;
    found = true;
    return `"${mark}${literal}"`;
  });
  if (!found) return value;
  return mapped(JSON.parse(marked), (leaf) =>
    typeof leaf === "string" && leaf.startsWith(mark) ? BigInt(leaf.slice(mark.length)) : leaf,
  );
};

/** The value with whole numbers of type `bigint` as the receiver wants them. */
export const withIntegers = (value: unknown, integers: Integers = "bigint"): unknown => {
  if (integers === "bigint" || !hasBigint(value)) return value;
  const change = integers === "text" ? String : Number;
  return mapped(value, (leaf) => (typeof leaf === "bigint" ? change(leaf) : leaf));
};

const hasBigint = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  for (const name in value) if (hasBigint((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
};

/** `JSON.stringify`, in which `bigint` values are whole numbers. */
export const exactText = (value: unknown): string => {
  if (!hasBigint(value)) return JSON.stringify(value);
  const mark = freeMark(withIntegers(value, "text"));
  const marked = JSON.stringify(mapped(value, (leaf) => (typeof leaf === "bigint" ? `${mark}${leaf}` : leaf)));
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
};
