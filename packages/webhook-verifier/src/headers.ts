import { refuse } from "./errors.ts";

/** Web `Headers`, as far as used. */
export interface HeadersLike {
  get(name: string): string | null;
}

/** The headers of a request: web `Headers`, or an object as `node:http` gives it. Names in any case. */
export type HeaderSource = HeadersLike | { readonly [name: string]: string | readonly string[] | undefined };

/** Longest header value looked at, in characters. */
const longest = 16_384;

const isHeadersLike = (headers: HeaderSource): headers is HeadersLike => typeof headers.get === "function";

/** The value under `name` (in lower case); repeated values are refused. */
const headerValue = (headers: HeaderSource, name: string): string | undefined => {
  if (isHeadersLike(headers)) return headers.get(name) ?? undefined;
  let found: string | undefined;
  for (const key in headers) {
    if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue;
    const value = headers[key];
    if (value === undefined) continue;
    const one = typeof value === "object" && value.length === 1 ? value[0] : value;
    if (found !== undefined || typeof one !== "string")
      return refuse("header_repeated", `${name} came more than once, or is not text.`);
    found = one;
  }
  return found;
};

/**
 * The header's one value without outer white space, or `undefined` when there is none.
 * @param name in lower case.
 * @throws WebhookVerificationError `header_repeated`, `header_malformed` (too long).
 */
export const findHeader = (headers: HeaderSource, name: string): string | undefined => {
  const value = headerValue(headers, name);
  if (value === undefined) return undefined;
  if (value.length > longest) refuse("header_malformed", `${name} has more than ${longest} characters.`);
  return value.trim() || undefined;
};

/** As `findHeader`, but an absent or empty header is refused: `header_missing`. */
export const getHeader = (headers: HeaderSource, name: string): string =>
  findHeader(headers, name) ?? refuse("header_missing", `${name} is missing: another sender, or a proxy removed it.`);
