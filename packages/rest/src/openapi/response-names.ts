/** Codes that are so common with a status that the name of the response does not mention them. */
const usual: readonly string[] = [
  "unknown_parameter",
  "invalid_parameter",
  "malformed_header",
  "multiple_credentials",
  "unauthenticated",
  "invalid_token",
  "token_expired",
  "insufficient_scope",
  "not_found",
  "precondition_failed",
  "content_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
  "precondition_required",
  "rate_limited",
  "internal_error",
  "bad_output",
  "unavailable",
  "overloaded",
];

/** Codes that occur together, and a word for them. If two entries fit, the first one counts. */
const groups: readonly (readonly [word: string, codes: readonly string[]])[] = [
  ["body", ["invalid_json", "validation_failed", "unknown_field"]],
  [
    "list",
    ["answer_too_large", "invalid_cursor", "invalid_fields", "invalid_filter", "invalid_include", "invalid_sort"],
  ],
  ["row", ["answer_too_large", "invalid_fields", "invalid_include"]],
  ["page", ["invalid_cursor", "invalid_fields", "invalid_filter"]],
  ["key", ["idempotency_in_progress"]],
  ["gone", ["version_retired", "endpoint_removed", "feature_removed"]],
];

/**
 * The name of the response with this status and these codes: the status, and a word for what is
 * special. `r400_list` in a document is the 400 of a list, `r401_public` the 401 of an
 * operation that needs no credential.
 */
export const problemName = (status: number, codes: readonly string[]): string => {
  const words: string[] = [];
  let left = codes.filter((code) => !usual.includes(code));
  for (const [word, together] of groups) {
    if (!together.every((code) => left.includes(code))) continue;
    words.push(word);
    left = left.filter((code) => !together.includes(code));
  }
  const isPublic = status === 401 && codes.includes("invalid_token") && !codes.includes("unauthenticated");
  return [status, ...(isPublic ? ["public"] : []), ...words, ...left.toSorted()].join("_");
};

/** Headers that say nothing about an answer's kind. */
const everywhere: ReadonlySet<string> = new Set([
  "X-Request-Id",
  "API-Version",
  "RateLimit",
  "RateLimit-Policy",
  "ETag",
  "Last-Modified",
  "Preference-Applied",
]);

/** The name of an answer without a body: a word for it, and its special headers. */
export const emptyName = (word: string, headers: readonly string[]): string =>
  [word, ...headers.filter((name) => !everywhere.has(name))].join("_");
