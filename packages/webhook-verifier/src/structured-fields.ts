import { decodeBase64 } from "./base64.ts";

/** Parameters by name, in order; values as they are written canonically, `?1` for those without one. */
type Parameters = ReadonlyMap<string, string>;

/** An item or inner list of a structured field (RFC 9651). */
export interface Member {
  /** The items of an inner list; undefined for a single item. */
  readonly items?: readonly Member[];
  /** Of a single item: the value as it is written canonically, without parameters. */
  readonly value: string;
  readonly parameters: Parameters;
  /** All of it as it is written canonically. */
  readonly text: string;
}

const fail = (): never => {
  throw new TypeError("not a structured field");
};

/** A number has no sign of zero, no leading zeros, and of its decimals no trailing ones but the first. */
const canonicalNumber = (text: string): string => {
  const value = String(Number(text));
  return text.includes(".") && !value.includes(".") ? `${value}.0` : value;
};

const writeParameters = (parameters: Parameters): string =>
  [...parameters].map(([name, value]) => (value === "?1" ? `;${name}` : `;${name}=${value}`)).join("");

// String, byte sequence, boolean, date or number, token.
const bareItem =
  /"(?:[ !#-[\]-~]|\\["\\])*"|:[\w+/=]*:|\?[01]|@-?\d{1,15}|-?\d{1,12}\.\d{1,3}|-?\d{1,15}|[a-z*][\w!#$%&'*+.^`|~:/-]*/iy;

/** Reads from the left, and throws for what is not there. */
const reader = (text: string) => {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const value = (): string => {
    const found = take(bareItem) ?? fail();
    if (found.startsWith(":")) return readBytes(found) === undefined ? fail() : found;
    const [, sign = "", number] = /^(@?)(-?\d.*)/.exec(found) ?? [];
    return number === undefined ? found : sign + canonicalNumber(number);
  };
  const key = (): string => take(/[a-z*][a-z\d_.*-]*/y) ?? fail();
  const parameters = (): Parameters => {
    const found = new Map<string, string>();
    while (take(/; */y) !== undefined) found.set(key(), take(/=/y) === undefined ? "?1" : value());
    return found;
  };
  const single = (written = value()): Member => {
    const found = parameters();
    return { value: written, parameters: found, text: written + writeParameters(found) };
  };
  const member = (): Member => {
    if (take(/\( */y) === undefined) return single();
    const items: Member[] = [];
    while (take(/ *\)/y) === undefined) {
      if (items.length > 0) take(/ +/y) ?? fail();
      items.push(single());
    }
    const found = parameters();
    const list = `(${items.map((item) => item.text).join(" ")})`;
    return { items, value: list, parameters: found, text: list + writeParameters(found) };
  };
  /** Members until the end, commas between them. */
  const all = (read: () => void): void => {
    take(/ +/y);
    do read();
    while (take(/[ \t]*,[ \t]*/y) !== undefined);
    take(/ +/y);
    if (at < text.length) fail();
  };
  return { take, key, single, member, all };
};

/** What `read` gives, or `undefined` where it throws for text that is no structured field. */
const orNone = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** The members of a dictionary by key; undefined when it is none, or a key comes twice: nobody writes that, it was joined. */
export const readDictionary = (text: string): ReadonlyMap<string, Member> | undefined =>
  orNone(() => {
    const found = new Map<string, Member>();
    const { all, key, member, single, take } = reader(text);
    all(() => {
      const name = key();
      if (found.has(name)) fail();
      found.set(name, take(/=/y) === undefined ? single("?1") : member());
    });
    return found;
  });

/**
 * A field as it is written canonically, whichever kind it is: lists and items look alike, and a dictionary that could also
 * be one of them is written in the same way.
 */
export const canonicalField = (text: string): string | undefined =>
  orNone(() => {
    const found: string[] = [];
    const { all, member } = reader(text);
    all(() => found.push(member().text));
    return found.join(", ");
  }) ??
  orNone(() =>
    [...(readDictionary(text) ?? fail())]
      .map(([name, { value, text: whole }]) => (value === "?1" ? name + whole.slice(2) : `${name}=${whole}`))
      .join(", "),
  );

/** The bytes of `:<base64>:`. */
export const readBytes = (text: string | undefined): Uint8Array | undefined =>
  text !== undefined && /^:.*:$/.test(text) ? decodeBase64(text.slice(1, -1)) : undefined;

/** The text of a string; undefined for other values. */
export const readString = (text: string | undefined): string | undefined =>
  text?.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : undefined;

/** A whole number; undefined for other values. */
export const readInteger = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
