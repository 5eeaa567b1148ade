import type { Row } from "@postern/core";
import { AppError, type ErrorCode } from "@postern/core";
import { type EntityTags, isTagOf, parseEntityTags } from "./entity-tag.ts";

/** What a request asks of the state of things before it is answered (RFC 9110, section 13). Times are milliseconds since the epoch. */
export interface Preconditions {
  /** The operation is refused without `If-Match` (RFC 6585, section 3). */
  readonly required: boolean;
  readonly ifMatch?: EntityTags;
  readonly ifNoneMatch?: EntityTags;
  readonly ifModifiedSince?: number;
  readonly ifUnmodifiedSince?: number;
}

type Header = (name: string) => string | undefined;

/** @throws AppError `malformed_header` for tags that are none. A date that is none is ignored, as RFC 9110, section 13.1.3, wants it. */
export const preconditionsOf = (header: Header, required: boolean): Preconditions => {
  const ifMatch = header("if-match");
  const ifNoneMatch = header("if-none-match");
  const ifModifiedSince = dateOf(header("if-modified-since"));
  const ifUnmodifiedSince = dateOf(header("if-unmodified-since"));
  return {
    required,
    ...(ifMatch === undefined ? {} : { ifMatch: parseEntityTags("If-Match", ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: parseEntityTags("If-None-Match", ifNoneMatch) }),
    ...(ifModifiedSince === undefined ? {} : { ifModifiedSince }),
    ...(ifUnmodifiedSince === undefined ? {} : { ifUnmodifiedSince }),
  };
};

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

const dateOf = (value: string | undefined): number | undefined => {
  const milliseconds = value !== undefined && httpDate.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
};

/** When the row was last changed, to the second: what HTTP dates can say. */
export const lastModifiedOf = (row: Row): number => Math.floor(Date.parse(String(row.updated_at)) / 1000) * 1000;

/** True when the precondition that was given leaves room for a change between the check and the write. */
export const pinsRevision = ({ ifMatch, ifUnmodifiedSince }: Preconditions): boolean =>
  (ifMatch !== undefined && ifMatch !== "*") || ifUnmodifiedSince !== undefined;

/**
 * Refuses a write of the row as it stands. `row` holds `id`, `revision`, `created_at` and `updated_at`; the write that follows must be conditional on that
 * revision.
 * @throws AppError `precondition_required`, `precondition_failed`.
 */
export const requireMatch = (preconditions: Preconditions, row: Row): void => {
  const { required, ifMatch, ifNoneMatch, ifUnmodifiedSince } = preconditions;
  const exists = ifNoneMatch !== undefined && (ifNoneMatch === "*" || ifNoneMatch.some((tag) => isTagOf(row, tag)));
  // Who says "only if there is none" has named a condition, and it does not hold.
  if (required && ifMatch === undefined && !exists) {
    throw refusal(
      "precondition_required",
      "Send If-Match with the ETag of what you read, or * to write whatever is there.",
    );
  }
  if (ifMatch !== undefined) {
    // A weak tag says that two representations are alike, not that they are the same: it never allows a write.
    const matches = ifMatch === "*" || ifMatch.some((tag) => !tag.weak && isTagOf(row, tag));
    if (!matches) throw refusal("precondition_failed", "It was changed since you read it; read it again.");
  } else if (ifUnmodifiedSince !== undefined && lastModifiedOf(row) > ifUnmodifiedSince) {
    throw refusal("precondition_failed", "It was changed since that time; read it again.", "If-Unmodified-Since");
  }
  if (exists) {
    throw refusal("precondition_failed", "There is one that matches already.", "If-None-Match");
  }
};

/**
 * Refuses a read of what is not as the caller has it (RFC 9110, section 13.1.1). `tag` is that of the answer, with its quotes; `row` is the one row it shows, of
 * whose present revision any tag will do.
 * @throws AppError `precondition_failed`.
 */
export const requireCurrent = ({ ifMatch }: Preconditions, tag: string, row: Row | undefined): void => {
  if (ifMatch === undefined || ifMatch === "*") return;
  const matches = ifMatch.some(
    (one) => !one.weak && (`"${one.opaque}"` === tag || (row !== undefined && isTagOf(row, one))),
  );
  if (!matches) throw refusal("precondition_failed", "It is not as you have it any more; read it without If-Match.");
};

const refusal = (code: ErrorCode, detail: string, header = "If-Match"): AppError =>
  new AppError(code, { detail, faults: [{ header, code, detail }] });

/** Whether the caller of a GET has what would be answered already. `tag` is with its quotes. */
export const isFresh = (
  { ifNoneMatch, ifModifiedSince }: Preconditions,
  tag: string,
  lastModified: number | undefined,
): boolean => {
  if (ifNoneMatch !== undefined) {
    return ifNoneMatch === "*" || ifNoneMatch.some(({ opaque }) => `"${opaque}"` === tag);
  }
  return ifModifiedSince !== undefined && lastModified !== undefined && lastModified <= ifModifiedSince;
};
