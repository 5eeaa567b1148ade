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

// String, byte sequence, boolean, date or number, token.
const bareItem =
  /"(?:[ !#-[\]-~]|\\["\\])*"|:[\w+/=]*:|\?[01]|@-?\d{1,15}|-?\d{1,12}\.\d{1,3}|-?\d{1,15}|[a-z*][\w!#$%&'*+.^`|~:/-]*/iy;

/**
 * The members of a dictionary by key, or of a list by place; undefined when the text is none, or a key comes twice: nobody
 * writes that, it was joined.
 */
const membersOf = (text: string, keyed: boolean): ReadonlyMap<string, Member> | undefined => {
  let at = 0;
  /** What a pattern finds here. */
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

/** The members of a dictionary by key; undefined when it is none, or a key comes twice. */
export const readDictionary = (text: string): ReadonlyMap<string, Member> | undefined => membersOf(text, true);

/**
 * A field as it is written canonically, whichever kind it is: lists and items look alike, and a dictionary that could also
 * be one of them is written in the same way.
 */
export const canonicalField = (text: string): string | undefined => {
  const list = membersOf(text, false);
  const written = [...(list ?? readDictionary(text) ?? [])].map(([name, { value, text: whole }]) =>
    list ? whole : value === "?1" ? name + whole.slice(2) : `${name}=${whole}`,
  );
  // Neither kind is empty.
  return written.join(", ") || undefined;
};

/** The bytes of `:<base64>:`. */
export const readBytes = (text: string | undefined): Uint8Array | undefined =>
  text !== undefined && /^:.*:$/.test(text) ? decodeBase64(text.slice(1, -1)) : undefined;

/** The text of a string; undefined for other values. */
export const readString = (text: string | undefined): string | undefined =>
  text?.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : undefined;

/** A whole number; undefined for other values. */
export const readInteger = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
