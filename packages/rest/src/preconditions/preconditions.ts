import { AppError, type ErrorCode, type Row } from "@postern/core";
import { fingerprint } from "@postern/core/internal";

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
  let found: RegExpExecArray | null;
  do {
    found = element.exec(value);
    if (found?.[1] !== undefined) tags.push(found[1]);
  } while (found !== null && element.lastIndex < value.length);
  if (found !== null && tags.length > 0) return tags;
  throw new AppError("malformed_header", {
    detail: `${header} holds entity tags in double quotes, separated by commas, or *.`,
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
const isEarlierTagOf = (row: Row, sent: string): boolean => ofRow.exec(sent)?.[2] === rowMark(row);

/** Whether a tag can be one of this server at all. */
const isReadable = (sent: string): boolean => ofRow.test(sent) || ofContent.test(sent);

/** The conditions of a request (RFC 9110, section 13). Times are milliseconds since the epoch. */
export interface Preconditions {
  /** The operation is refused without `If-Match` (RFC 6585, section 3). */
  readonly required: boolean;
  readonly ifMatch?: EntityTags;
  readonly ifNoneMatch?: EntityTags;
  readonly ifModifiedSince?: number;
  readonly ifUnmodifiedSince?: number;
}

/**
 * `header` gives the text of a header of the request.
 * @throws AppError `malformed_header` for an invalid tag. An invalid date is ignored, as RFC 9110,
 *   section 13.1.3, requires.
 */
export const preconditionsOf = (header: (name: string) => string | undefined, required: boolean): Preconditions => {
  const preconditions: { -readonly [Name in keyof Preconditions]: Preconditions[Name] } = { required };
  const ifMatch = header("if-match");
  if (ifMatch !== undefined) preconditions.ifMatch = parseEntityTags("If-Match", ifMatch);
  const ifNoneMatch = header("if-none-match");
  if (ifNoneMatch !== undefined) preconditions.ifNoneMatch = parseEntityTags("If-None-Match", ifNoneMatch);
  for (const name of ["if-modified-since", "if-unmodified-since"] as const) {
    const date = header(name);
    if (date === undefined || !httpDate.test(date)) continue;
    const ms = Date.parse(date);
    if (Number.isNaN(ms)) continue;
    preconditions[name === "if-modified-since" ? "ifModifiedSince" : "ifUnmodifiedSince"] = ms;
  }
  return preconditions;
};

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** When the row was last changed, in whole seconds: the precision of HTTP dates. */
export const lastModifiedOf = (row: Row): number => Math.floor(Date.parse(String(row.updated_at)) / 1000) * 1000;

/** True if the condition leaves room for a change between the check and the write. */
export const pinsRevision = ({ ifMatch, ifUnmodifiedSince }: Preconditions): boolean =>
  (ifMatch !== undefined && ifMatch !== "*") || ifUnmodifiedSince !== undefined;

/**
 * Refuses a write if the row does not meet the conditions. `row` has `id`, `revision`, `created_at`
 * and `updated_at`. The write that follows must be conditional on that revision.
 * @throws AppError `precondition_required`, `precondition_failed`.
 */
export const requireMatch = (preconditions: Preconditions, row: Row): void => {
  const { required, ifMatch, ifNoneMatch, ifUnmodifiedSince } = preconditions;
  const exists = ifNoneMatch !== undefined && (ifNoneMatch === "*" || ifNoneMatch.some((tag) => isTagOf(row, tag)));
  // The client said "only if it does not exist". The row exists, so this condition fails.
  if (required && ifMatch === undefined && !exists) {
    throw refusal(
      "precondition_required",
      "Send If-Match with the ETag of the row that you read, or * to write in any case.",
    );
  }
  if (ifMatch !== undefined) {
    const matches = ifMatch === "*" || ifMatch.some((tag) => isTagOf(row, tag));
    if (!matches) throw refusal("precondition_failed", whyStale(ifMatch, row));
  } else if (ifUnmodifiedSince !== undefined && lastModifiedOf(row) > ifUnmodifiedSince) {
    throw refusal("precondition_failed", "The row was changed after that time; read it again.", "If-Unmodified-Since");
  }
  if (exists) {
    throw alreadyThere();
  }
};

/** Why none of the tags fits the row: only a tag of an earlier revision says that it was changed. */
const whyStale = (ifMatch: readonly string[], row: Row): string => {
  if (ifMatch.some((tag) => isEarlierTagOf(row, tag))) return "The row was changed after you read it; read it again.";
  return ifMatch.some(isReadable)
    ? "The tag in If-Match is not one of this row; send the ETag of the row that you want to write."
    : notOurs;
};

const notOurs =
  "The tag in If-Match is not one that this server gives; send the ETag as you got it. A proxy may have rewritten it.";

/** True if a write must happen only when nothing is there yet (RFC 9110, section 13.1.2). */
export const asksForNew = ({ ifMatch, ifNoneMatch }: Preconditions): boolean =>
  ifNoneMatch === "*" && ifMatch === undefined;

/** The answer to a write that requires that nothing is there, although something is. */
export const alreadyThere = (): AppError => refusal("precondition_failed", "The row exists already.", "If-None-Match");

/**
 * Refuses a read if the content is not what the caller expects (RFC 9110, section 13.1.1). `tag` is
 * the answer's tag, with quotes. If the answer shows a single `row`, any tag of its present
 * revision fits.
 * @throws AppError `precondition_failed`.
 */
export const requireCurrent = (ifMatch: EntityTags, tag: string, row: Row | undefined): void => {
  if (ifMatch === "*") return;
  const matches = ifMatch.some((one) => isTag(tag, one) || (row !== undefined && isTagOf(row, one)));
  if (matches) return;
  const detail = ifMatch.some(isReadable) ? "The content has changed; read it without If-Match." : notOurs;
  throw refusal("precondition_failed", detail);
};

const refusal = (code: ErrorCode, detail: string, header = "If-Match"): AppError =>
  new AppError(code, { detail, faults: [{ header, code, detail }] });

/** Whether the caller of a GET already has this answer. `tag` includes its quotes. */
export const isFresh = (
  { ifNoneMatch, ifModifiedSince }: Preconditions,
  tag: string,
  lastModified: number | undefined,
): boolean => {
  if (ifNoneMatch !== undefined) {
    return ifNoneMatch === "*" || ifNoneMatch.some((one) => isTag(tag, one));
  }
  return ifModifiedSince !== undefined && lastModified !== undefined && lastModified <= ifModifiedSince;
};
