import type { Coding } from "./compressor.ts";

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
