import type { Coding } from "./compressor.ts";

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

/**
 * The tag of an answer in a coding. A strong tag stands for bytes, so each coding needs one of its
 * own; the API takes the mark off again when it reads a tag (RFC 9110, section 8.8.3.3).
 */
export const codedTag = (tag: string, coding: Coding): string => `${tag.slice(0, -1)}-${coding}"`;

/**
 * The tag of a 304: the one that the caller has. If the caller has several tags of an answer, it is
 * the tag of the coding that the caller prefers. If the caller named no tag (`*`, or only a time),
 * it is the plain one.
 */
export const tagNotModified = (tag: string, sent: string | undefined, codings: readonly Coding[]): string =>
  codings.map((coding) => codedTag(tag, coding)).find((coded) => sent?.includes(coded) === true) ?? tag;

const coded = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*-(br|gzip)"/g;

/** A tag that no answer has. */
const noTag = '"-"';

/**
 * `If-None-Match` without the tags of codings that this request does not accept. A shared cache
 * sends the tags of everything that it keeps. A 304 for one of them could make it send bytes to a
 * caller who cannot read them.
 */
export const tagsToCompare = (sent: string, codings: readonly Coding[]): string =>
  sent.replace(coded, (tag, coding: Coding) => (codings.includes(coding) ? tag : noTag));
