import type { Coding } from "../compression/compressor.ts";
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
  const named = (one: string | undefined, other: string | undefined) =>
    ranges.find((range) => range.type === one && range.subtype === other);
  return named(type, subtype) ?? named(type, "*") ?? named("*", "*") ?? unwanted;
};

/** The codings that a caller accepts. */
export interface AcceptedCoding {
  /** The one that it prefers; `undefined` if it accepts none, not even plain bytes. */
  readonly best: Coding | "identity" | undefined;
  /** Whether it accepts plain bytes. */
  readonly plain: boolean;
  /** Every available coding that it accepts, the one that it prefers first. */
  readonly codings: readonly Coding[];
}

/**
 * Reads `Accept-Encoding` (RFC 9110, section 12.5.3). `available` is what the server can make, the
 * best first. Without the header every coding is allowed; the answer then has plain bytes, which
 * everybody can read. If the header does not name plain bytes, they are still accepted, but only if
 * it names nothing better. `identity;q=0` refuses them, and so does `*;q=0` if they are not named.
 * An invalid weight counts as 0. `x-gzip` is an older name of `gzip` (RFC 9110, section 8.4.1.3).
 */
export const acceptedCoding = (header: string | undefined, available: readonly Coding[]): AcceptedCoding => {
  if (header === undefined) return { best: "identity", plain: true, codings: available };
  const weights = new Map<string, number>();
  for (const entry of header.toLowerCase().split(",")) {
    const name = (entry.split(";", 1)[0] ?? "").trim();
    const weight = Number(/;\s*q=([^;]*)/.exec(entry)?.[1] ?? 1);
    const coding = name === "x-gzip" ? "gzip" : name;
    if (coding !== "" && !weights.has(coding)) weights.set(coding, weight > 0 ? Math.min(weight, 1) : 0);
  }
  const others = weights.get("*") ?? 0;
  const identity = weights.get("identity") ?? (weights.has("*") && others === 0 ? 0 : undefined);
  const plain = identity !== 0;
  // There are two of them, so the better one is in front and the other behind it.
  const codings: Coding[] = [];
  let most = 0;
  for (const coding of available) {
    const weight = weights.get(coding) ?? others;
    if (weight > most) codings.unshift(coding);
    else if (weight > 0) codings.push(coding);
    most = Math.max(most, weight);
  }
  const [first] = codings;
  if (first === undefined) return { best: plain ? "identity" : undefined, plain, codings };
  return { best: (identity ?? 0) > most ? "identity" : first, plain, codings };
};
