import type { Row } from "@postern/core";
import { AppError } from "@postern/core";
import { fingerprint } from "@postern/core/parts";

/** One tag of a header. */
export interface EntityTag {
  readonly weak: boolean;
  /** The text between the quotes. */
  readonly opaque: string;
  /** The same without the mark of a coding; `undefined` if it has no mark. */
  readonly uncoded?: string;
}

/** The content of `If-Match` and `If-None-Match`: tags, or `*` for anything that exists. */
export type EntityTags = "*" | readonly EntityTag[];

/**
 * RFC 9110, section 8.8.3; header values come as Latin-1. Elements of a list may be empty (section
 * 5.6.1).
 */
const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** @throws AppError `malformed_header`. */
export const parseEntityTags = (header: string, value: string): EntityTags => {
  if (value.trim() === "*") return "*";
  const tags: EntityTag[] = [];
  element.lastIndex = 0;
  while (element.lastIndex < value.length) {
    const found = element.exec(value);
    if (found === null) break;
    if (found[2] !== undefined) tags.push(tagOf(found[1] !== undefined, found[2]));
    if (element.lastIndex === value.length) return nonEmpty(header, tags);
  }
  return nonEmpty(header, []);
};

const nonEmpty = (header: string, tags: readonly EntityTag[]): readonly EntityTag[] => {
  if (tags.length > 0) return tags;
  const detail = `${header} holds entity tags in double quotes, separated by commas, or *.`;
  throw new AppError("malformed_header", {
    detail,
    faults: [{ header, code: "malformed_header", detail: 'like "3.kT9x2L", or *' }],
  });
};

/**
 * Software that compresses an answer marks its tag, because a strong tag identifies bytes.
 * `@postern/http` does so, and so do proxies. The marked tag still counts as ours. One in 260,000
 * of our tags happens to end like a mark, so a tag is accepted both with and without its end.
 */
const coding = /[-;](?:gzip|br|zstd|deflate)$/;

const tagOf = (weak: boolean, opaque: string): EntityTag => {
  const uncoded = opaque.replace(coding, "");
  return uncoded === opaque ? { weak, opaque } : { weak, opaque, uncoded };
};

/** Whether a tag of a header is this one. `tag` includes its quotes. */
export const isTag = (tag: string, { opaque, uncoded }: EntityTag): boolean =>
  `"${opaque}"` === tag || (uncoded !== undefined && `"${uncoded}"` === tag);

/** Distinguishes the row from an earlier one with the same id. */
const rowMark = ({ id, created_at }: Row): string => fingerprint(`${id} ${created_at}`, 1);

/**
 * The strong tag of one row: `"<revision>.<mark>"`. `shows` names everything else that the bytes
 * depend on: the API version and the fields, or the digest of the content if the answer includes
 * other rows. No part of the credential goes into it, so a new token does not empty a cache.
 */
export const rowTag = (row: Row, shows: string): string => `"${row.revision}.${rowMark(row)}${fingerprint(shows, 2)}"`;

/** The strong tag of content that is more than one row. */
export const contentTag = (digest: string): string => `"${digest.slice(0, 22)}"`;

const ofRow = /^([1-9]\d*)\.([\w-]{6})[\w-]{12}$/;

/** Whether a tag belongs to the row's present revision, in any version and selection of fields. */
export const isTagOf = (row: Row, { opaque, uncoded }: EntityTag): boolean => {
  const [, revision, mark] = ofRow.exec(opaque) ?? ofRow.exec(uncoded ?? "") ?? [];
  return revision === String(row.revision) && mark === rowMark(row);
};
