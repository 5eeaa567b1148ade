import { decodeBase64 } from "./base64.ts";
import { longest } from "./headers.ts";

/**
 * Parameters by name, in order. Values are in canonical form; a parameter without a value has `?1`.
 */
type Parameters = ReadonlyMap<string, string>;

/** An item or inner list of a structured field (RFC 9651). */
export interface Member {
  /** The items of an inner list; `undefined` if it is a single item. */
  readonly items?: readonly Member[];
  /** The value of a single item in canonical form, without parameters. */
  readonly value: string;
  readonly parameters: Parameters;
  /** All of it in canonical form. */
  readonly text: string;
}

const fail = (): never => {
  throw new TypeError("not a structured field");
};

/**
 * Writes a number canonically: zero has no sign, there are no leading zeros, and of trailing zeros
 * only the first decimal stays.
 */
const canonicalNumber = (text: string): string => {
  const value = String(Number(text));
  return text.includes(".") && !value.includes(".") ? `${value}.0` : value;
};

// In this order: string, byte sequence, boolean, date or number, token.
const bareItem =
  /"(?:[ !#-[\]-~]|\\["\\])*"|:[\w+/=]*:|\?[01]|@-?\d{1,15}|-?\d{1,12}\.\d{1,3}|-?\d{1,15}|[a-z*][\w!#$%&'*+.^`|~:/-]*/iy;

/**
 * The members of a dictionary by key, or of a list by place. `undefined` if the text is neither, if
 * it is longer than a header may be, or if a key occurs twice: nobody writes that, so something joined two headers.
 */
const membersOf = (text: string, keyed: boolean): ReadonlyMap<string, Member> | undefined => {
  if (text.length > longest) return undefined;
  let at = 0;
  /** Returns what a pattern matches at this point. */
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const value = (): string => {
    const found = take(bareItem) ?? fail();
    return found.startsWith(":") && readBytes(found) === undefined
      ? fail()
      : found.replace(/^(@?)(-?\d.*)/, (_, sign, number) => sign + canonicalNumber(number));
  };
  const key = (): string => take(/[a-z*][a-z\d_.*-]*/y) ?? fail();
  const withParameters = (written: string, items?: readonly Member[]): Member => {
    const parameters = new Map<string, string>();
    while (take(/; */y) !== undefined) parameters.set(key(), take(/=/y) === undefined ? "?1" : value());
    const text = [written, ...[...parameters].map(([name, of]) => (of === "?1" ? name : `${name}=${of}`))].join(";");
    return { value: written, parameters, text, ...(items && { items }) };
  };
  const member = (): Member => {
    if (take(/\( */y) === undefined) return withParameters(value());
    const items: Member[] = [];
    while (take(/ *\)/y) === undefined) {
      if (items.length > 0) take(/ +/y) ?? fail();
      items.push(withParameters(value()));
    }
    return withParameters(`(${items.map((item) => item.text).join(" ")})`, items);
  };
  const members = new Map<string, Member>();
  try {
    take(/ +/y);
    do {
      const name = keyed ? key() : `${members.size}`;
      if (members.has(name)) fail();
      members.set(name, keyed && take(/=/y) === undefined ? withParameters("?1") : member());
    } while (take(/[ \t]*,[ \t]*/y) !== undefined);
    take(/ +/y);
    return at < text.length ? undefined : members;
  } catch {
    return undefined;
  }
};

/**
 * The members of a dictionary by key. `undefined` if the text is no dictionary, or if a key occurs
 * twice.
 */
export const readDictionary = (text: string): ReadonlyMap<string, Member> | undefined => membersOf(text, true);

/**
 * A field of any kind in canonical form. Lists and items are written alike, and so is a dictionary
 * that could also be one of them.
 */
export const canonicalField = (text: string): string | undefined => {
  const list = membersOf(text, false);
  const written = [...(list ?? readDictionary(text) ?? [])].map(([name, { value, text: whole }]) =>
    list ? whole : value === "?1" ? name + whole.slice(2) : `${name}=${whole}`,
  );
  // Fields of either kind are never empty.
  return written.join(", ") || undefined;
};

/** The bytes of `:<base64>:`. */
export const readBytes = (text: string | undefined): Uint8Array | undefined =>
  text !== undefined && /^:.*:$/.test(text) ? decodeBase64(text.slice(1, -1)) : undefined;

/** The text of a string; `undefined` for other values. */
export const readString = (text: string | undefined): string | undefined =>
  text?.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : undefined;

/** A whole number; undefined for other values. */
export const readInteger = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
