import type { Row } from "@postern/core";
import { AppError } from "@postern/core";
import { fingerprint } from "@postern/core/parts";

/**
 * The content of `If-Match` and `If-None-Match`: the texts between the quotes of each tag, or `*`
 * for anything that exists. Whether a tag is weak does not count: proxies that compress answers
 * weaken every tag, and ours hold the revision of the row.
 */
export type EntityTags = "*" | readonly string[];

/**
 * RFC 9110, section 8.8.3; header values come as Latin-1. Elements of a list may be empty (section
 * 5.6.1).
 */
const element = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** @throws AppError `malformed_header`. */
export const parseEntityTags = (header: string, value: string): EntityTags => {
  if (value.trim() === "*") return "*";
  const tags: string[] = [];
  element.lastIndex = 0;
  while (element.lastIndex < value.length) {
    const found = element.exec(value);
    if (found === null) break;
    if (found[1] !== undefined) tags.push(found[1]);
    if (element.lastIndex === value.length) return nonEmpty(header, tags);
  }
  return nonEmpty(header, []);
};

const nonEmpty = (header: string, tags: readonly string[]): readonly string[] => {
  if (tags.length > 0) return tags;
  const detail = `${header} holds entity tags in double quotes, separated by commas, or *.`;
  throw new AppError("malformed_header", {
    detail,
    faults: [{ header, code: "malformed_header", detail: 'like "3.kT9x2L", or *' }],
  });
};

/**
 * What software that compresses an answer adds to its tag, because a strong tag identifies bytes:
 * `-gzip`, `--gzip`, `;br`, `:zstd` and the like. `@postern/http` does so, and so do proxies. A tag
 * of ours has a fixed length, so an end cannot be mistaken for a part of it.
 */
const ending = "(?:[-;:+.]{1,2}[A-Za-z][A-Za-z0-9]{0,15}){0,3}";
const onlyEnding = new RegExp(`^${ending}$`);

/** Whether a tag of a header is this one. `tag` includes its quotes. */
export const isTag = (tag: string, sent: string): boolean => {
  const own = tag.slice(1, -1);
  return sent.startsWith(own) && onlyEnding.test(sent.slice(own.length));
};

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

const ofRow = new RegExp(String.raw`^([1-9]\d*)\.([\w-]{6})[\w-]{12}${ending}$`);
const ofContent = new RegExp(String.raw`^[\w-]{22}${ending}$`);

/** Whether a tag belongs to the row's present revision, in any version and selection of fields. */
export const isTagOf = (row: Row, sent: string): boolean => {
  const [, revision, mark] = ofRow.exec(sent) ?? [];
  return revision === String(row.revision) && mark === rowMark(row);
};

/** Whether a tag was once that of this row. */
export const isEarlierTagOf = (row: Row, sent: string): boolean => ofRow.exec(sent)?.[2] === rowMark(row);

/** Whether a tag can be one of this server at all. */
export const isReadable = (sent: string): boolean => ofRow.test(sent) || ofContent.test(sent);
