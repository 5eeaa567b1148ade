import type { HttpRequest } from "../http-request.ts";
import { headerOf } from "./headers.ts";

/** One entry of `Accept`: `text/*;q=0.5`. */
interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
  /** 2 for a type, 1 for a family of types, 0 for anything. */
  readonly exactness: number;
  readonly place: number;
}

const unwanted: Range = { type: "", subtype: "", weight: 0, exactness: 0, place: 0 };

/**
 * The media type that the caller prefers (RFC 9110, section 12.5.1); `undefined` if `Accept`
 * excludes all of them. Types of the same weight are ordered like this: first those that `Accept`
 * names, then those that only fit a wildcard; then by the order in `Accept`, then by the order of
 * `types`. An empty `Accept` is the same as none.
 */
export const acceptedType = (types: readonly string[], request: HttpRequest): string | undefined => {
  const accept = headerOf(request, "accept");
  if (accept === undefined || accept === "*/*" || /^[\s,]*$/.test(accept)) return types[0];
  const ranges = accept.split(",").flatMap(parseRange);
  const [best] = types
    .map((one) => ({ one, range: rangeFor(ranges, one) }))
    .filter(({ range }) => range.weight > 0)
    .toSorted(({ range: a }, { range: b }) => b.weight - a.weight || b.exactness - a.exactness || a.place - b.place);
  return best?.one;
};

const parseRange = (text: string, place: number): readonly Range[] => {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const [type = "", subtype = "", ...more] = name.split("/");
  if (type === "" || subtype === "" || more.length > 0) return [];
  // A range with a parameter (`;profile=…`) is another type, which no operation answers with.
  if (parameters.some((parameter) => !/^(?:|q=.*|charset="?utf-?8"?)$/.test(parameter))) return [];
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const exactness = type === "*" ? 0 : subtype === "*" ? 1 : 2;
  return [{ type, subtype, weight: weight === undefined ? 1 : Number(weight) || 0, exactness, place }];
};

/**
 * The most specific range for a type: the type itself comes before its family, and the family
 * before the range for all types.
 */
const rangeFor = (ranges: readonly Range[], name: string): Range => {
  const [type, subtype] = (name.split(";", 1)[0] ?? "").split("/");
  return (
    ranges.find((range) => range.type === type && range.subtype === subtype) ??
    ranges.find((range) => range.type === type && range.subtype === "*") ??
    ranges.find((range) => range.type === "*" && range.subtype === "*") ??
    unwanted
  );
};
