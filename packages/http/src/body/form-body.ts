import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { headerOf, occurrences } from "../head/headers.ts";
import { refuseCodings } from "../head/media-type.ts";
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
  refuseCodings(request);
  if (occurrences(request, "content-type") > 1) {
    throw new AppError("malformed_header", { detail: "Send one Content-Type header." });
  }
  const [type, ...parameters] = (headerOf(request, "content-type") ?? "").toLowerCase().split(";");
  const isUtf8 = parameters.every((one) => !/^\s*charset=/.test(one) || /^\s*charset="?utf-?8"?\s*$/.test(one));
  if (type?.trim() !== formType || !isUtf8) {
    throw new AppError("unsupported_media_type", {
      detail: `Send the body as ${formType}, in UTF-8.`,
      headers: { accept: formType },
    });
  }
  checkAnnouncedLength(request, limitBytes);
};

const malformed = (detail: string): AppError => new AppError("bad_request", { detail });

const textOf = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed("The form is not valid UTF-8.");
  }
};

const utf8Encoder = new TextEncoder();
const plus = 0x2b;
const space = 0x20;
const percent = 0x25;
/** The value of each hexadecimal digit by its byte; -1 for every other byte. */
const digits = new Int8Array(256).fill(-1);
for (const digit of "0123456789abcdefABCDEF") digits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/**
 * The text that stands in a form as `text`. It is decoded byte by byte: to replace each plus sign in a
 * text of 64 KiB takes nine times as long.
 */
const decode = (text: string): string => {
  if (!/[+%]/.test(text)) return text;
  const bytes = utf8Encoder.encode(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === plus) byte = space;
    else if (byte === percent) {
      const high = digits[bytes[at + 1] ?? 0] ?? -1;
      const low = digits[bytes[at + 2] ?? 0] ?? -1;
      // Do not name the text: it may be a secret.
      if (high < 0 || low < 0) throw malformed("The form is not valid percent-encoded UTF-8.");
      byte = high * 16 + low;
      at += 2;
    }
    bytes[end] = byte;
    end += 1;
  }
  try {
    return utf8.decode(bytes.subarray(0, end));
  } catch {
    throw malformed("The form is not valid percent-encoded UTF-8.");
  }
};

/**
 * The fields of a form from its bytes as they were sent. Names are texts: `a[b]` is the name of one
 * field.
 * @throws AppError `bad_request` for bytes that are not UTF-8, for a malformed form, for more than
 *   100 fields, and for a field that is given more than once (RFC 6749, section 3.2).
 */
export const parseForm = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const parts = textOf(bytes).split("&", mostFields + 1);
  if (parts.length > mostFields) throw malformed(`The form has more than ${mostFields} fields.`);
  const fields = new Map<string, string>();
  for (const part of parts) {
    if (part === "") continue;
    const end = part.indexOf("=");
    const name = decode(end === -1 ? part : part.slice(0, end));
    if (fields.has(name)) throw malformed("The form gives a field more than once.");
    fields.set(name, end === -1 ? "" : decode(part.slice(end + 1)));
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
