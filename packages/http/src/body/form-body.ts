import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { checkType } from "../head/media-type.ts";
import type { HttpRequest } from "../http-request.ts";
import { checkAnnouncedLength, readBytes } from "./read-bytes.ts";

const formType = "application/x-www-form-urlencoded";

/** The longest form in bytes. */
export const formLimitBytes = 64 * 1024;
const mostFields = 100;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Checks from the head of a request that its body can be read as a form.
 * @throws AppError `unsupported_media_type`, `not_implemented`, `malformed_header`,
 *   `content_too_large`.
 */
export const checkFormHead = (request: Pick<HttpRequest, "headers" | "rawHeaders">, limitBytes: number): void => {
  checkType(request, [formType]);
  checkAnnouncedLength(request, limitBytes);
};

const malformed = (detail: string): AppError => new AppError("bad_request", { detail });

/** The text of a form, whose escapes are whole and stand for UTF-8: `URLSearchParams` lets others pass. */
const textOf = (bytes: Uint8Array): string => {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed("The form is not valid UTF-8.");
  }
  try {
    decodeURIComponent(text);
  } catch {
    // Do not name the text: it may be a secret.
    throw malformed("The form is not valid percent-encoded UTF-8.");
  }
  return text;
};

/**
 * The fields of a form from its bytes as they were sent. Names are texts: `a[b]` is the name of one
 * field.
 * @throws AppError `bad_request` for bytes that are not UTF-8, for a malformed form, for more than
 *   100 fields, and for a field that is given more than once (RFC 6749, section 3.2).
 */
export const parseForm = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const text = textOf(bytes);
  if (text.split("&", mostFields + 1).length > mostFields) {
    throw malformed(`The form has more than ${mostFields} fields.`);
  }
  const fields = new Map<string, string>();
  // Not from the text alone, of which a question mark in front would be lost.
  for (const [name, value] of new URLSearchParams(`&${text}`)) {
    if (fields.has(name)) throw malformed("The form gives a field more than once.");
    fields.set(name, value);
  }
  return fields;
};

/**
 * Reads the form in the body of a request.
 * @throws AppError as `checkFormHead`, `parseForm` and `readBytes`; CallerGone.
 */
export const readForm = async (
  { bodies }: Pick<GatewayParts, "bodies">,
  { request, network }: Pick<Exchange, "request" | "network">,
): Promise<ReadonlyMap<string, string>> => {
  checkFormHead(request, formLimitBytes);
  const held = await readBytes(request, { limit: formLimitBytes, network, bodies });
  try {
    return parseForm(held.bytes);
  } finally {
    held.release();
  }
};
