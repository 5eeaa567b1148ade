import { refuse } from "./errors.ts";

/** The part of web `Headers` that is used. */
export interface HeadersLike {
  get(name: string): string | null;
}

/**
 * The headers of a request: web `Headers`, or an object as `node:http` gives it. Names may be in
 * any case.
 */
export type HeaderSource = HeadersLike | { readonly [name: string]: string | readonly string[] | undefined };

/** The longest header value that is read, in characters. */
export const longest = 16_384;

/** More headers than any sender lists in a header of its own as signed. */
const mostListed = 30;

/**
 * Checks a list of headers that a message says are signed. Each is read before the signature is
 * checked, so a long list would make one long text out of many copies of a header.
 */
export const checkListed = (names: readonly string[], header: string): void => {
  if (names.length > mostListed || new Set(names).size < names.length)
    refuse("header_malformed", `${header} lists a header twice, or more than ${mostListed}.`);
};

/** Refuses a header that occurs twice. */
export const twice = (name: string): never => refuse("header_repeated", `${name} came twice or is not text.`);

/** Refuses a request that lacks a header. */
export const missing = (name: string): never =>
  refuse("header_missing", `${name} is missing: another sender, or a proxy removed it.`);

/**
 * The value of `name` (in lower case), which may be a list. The request is refused if the header
 * occurs twice in different letter case.
 */
export const rawHeader = (headers: HeaderSource, name: string): string | readonly string[] | undefined => {
  if (typeof headers.get === "function") {
    try {
      return (headers as HeadersLike).get(name) ?? undefined;
    } catch (cause) {
      // Web `Headers` throw for a name that no header can have. Some messages name the headers that
      // they cover, so such a name can arrive.
      return refuse("header_malformed", `${name} is no header.`, cause);
    }
  }
  const named = headers as Exclude<HeaderSource, HeadersLike>;
  let found: string | readonly string[] | undefined;
  for (const key in named) {
    if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue;
    if (found !== undefined && named[key] !== undefined) twice(name);
    found ??= named[key];
  }
  return found ?? undefined;
};

/**
 * What stands behind a prefix; `undefined` if the value does not begin with it. The name of an
 * Authorization scheme, such as `Bearer `, has no case, and any number of spaces behind it
 * (RFC 9110, 11.1 and 11.4).
 */
export const behind = (value: string, prefix: string): string | undefined => {
  const begins = value.slice(0, prefix.length);
  if (prefix.endsWith(" "))
    return begins.toLowerCase() === prefix.toLowerCase() ? value.slice(prefix.length).trimStart() : undefined;
  return begins === prefix ? value.slice(prefix.length) : undefined;
};

/** Refuses a value that is too long. */
export const checkValue = (value: string, name: string): void => {
  if (value.length > longest) refuse("header_malformed", `${name} has more than ${longest} characters.`);
};

/**
 * The header's one value without outer white space, or `undefined` if there is none.
 * @param name in lower case.
 * @throws WebhookVerificationError `header_repeated`, `header_malformed` (too long).
 */
export const findHeader = (headers: HeaderSource, name: string): string | undefined => {
  const raw = rawHeader(headers, name);
  if (raw === undefined) return undefined;
  const value = raw.length === 1 ? raw[0] : raw;
  if (typeof value !== "string") return twice(name);
  checkValue(value, name);
  return value.trim() || undefined;
};

/** Like `findHeader`, but refuses an absent or empty header with `header_missing`. */
export const getHeader = (headers: HeaderSource, name: string): string => findHeader(headers, name) ?? missing(name);
