import { AppError } from "@postern/core";

const maxLength = 255;
/** Callers without a credential share a network address: they must not guess each other's keys. */
export const minLengthOfStrangers = 16;
/** A string of RFC 9651, section 3.3.3. */
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/**
 * The same without quotes, as some clients send it: visible ASCII without characters that have a
 * meaning in a header.
 */
const bare = /^[!#-+\--:<-[\]-~]+$/;

/**
 * Reads the key of an `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header): a
 * structured-field string, or the same without quotes. It has at least `minLength` characters.
 * @throws AppError `malformed_header`.
 */
export const parseIdempotencyKey = (value: string, minLength = 1): string => {
  const text = value.trim();
  const key = bare.test(text) ? text : quoted.exec(text)?.[1]?.replaceAll(/\\(.)/g, "$1");
  if (key !== undefined && key.length >= minLength && key.length <= maxLength) return key;
  throw new AppError("malformed_header", {
    detail: `Idempotency-Key is one text in double quotes, ${minLength} to ${maxLength} visible characters.`,
    faults: [{ header: "Idempotency-Key", code: "malformed_header", detail: "a UUID in double quotes, say" }],
  });
};
