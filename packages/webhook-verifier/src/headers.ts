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

/** Every value that came under `name` (given in lower case), in order. */
const valuesOf = (headers: HeaderSource, name: string): readonly string[] => {
  if (isHeadersLike(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  let values: readonly string[] = [];
  for (const key in headers) {
    if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue;
    const value = headers[key];
    if (value !== undefined) values = values.length === 0 && typeof value === "string" ? [value] : values.concat(value);
  }
  return values;
};

/**
 * The header's one value without outer white space, or `undefined` when there is none.
 * @param name in lower case.
 * @throws WebhookVerificationError `header_repeated`, `header_malformed` (too long, or not text).
 */
export const findHeader = (headers: HeaderSource, name: string): string | undefined => {
  const values = valuesOf(headers, name);
  if (values.length > 1) refuse("header_repeated", `${name} came ${values.length} times, not once.`);
  const [value] = values;
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.length > longest)
    refuse("header_malformed", `${name} is not text of at most ${longest} characters.`);
  return value.trim() || undefined;
};

/** As `findHeader`, but an absent or empty header is refused: `header_missing`. */
export const getHeader = (headers: HeaderSource, name: string): string =>
  findHeader(headers, name) ?? refuse("header_missing", `${name} is missing: another sender, or a proxy removed it.`);
