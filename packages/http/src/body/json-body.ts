import { AppError } from "@postern/core";
import type { RequestBody } from "@postern/rest";
import type { HttpRequest } from "../http-request.ts";
import { checkJson } from "./check-json.ts";
import { type ByteLimits, readBytes } from "./read-bytes.ts";
import { SeparatorCount } from "./separator-count.ts";

/**
 * `fatal` refuses bytes that are not UTF-8. `ignoreBOM` leaves a byte order mark in the text, so
 * that `checkJson` refuses it.
 */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface JsonLimits extends Omit<ByteLimits, "look"> {
  readonly mostValues: number;
  /** Called when all bytes have come, even if the body is then refused. */
  readonly onWhole?: () => void;
}

/**
 * Reads a JSON body; `undefined` when it is empty. The bytes are complete, within the limits, valid
 * UTF-8 and checked as JSON before `JSON.parse` sees them (`check-json.ts` says why). A text with
 * too many values is refused as soon as that many have come; the rest of it stays unread.
 * @throws AppError `invalid_json` with a pointer, and as `readBytes`; CallerGone.
 */
export const readJson = async (
  request: HttpRequest,
  { mostValues, onWhole, ...limits }: JsonLimits,
): Promise<RequestBody | undefined> => {
  const held = await readBytes(request, { ...limits, look: refuseTooMany(mostValues) });
  const { bytes } = held;
  try {
    onWhole?.();
    if (bytes.length === 0) return undefined;
    const text = decode(bytes);
    checkJson(text, mostValues);
    return { value: JSON.parse(text), text };
  } finally {
    held.release();
  }
};

/**
 * Refuses a text with more commas than it may have values. Such a text has too many values, or it
 * is not JSON. Either is a fault in the part that has come so far, wherever the text ends.
 */
const refuseTooMany = (mostValues: number): NonNullable<ByteLimits["look"]> => {
  let count: SeparatorCount | undefined;
  return (piece, pieces) => {
    if (pieces.length <= mostValues) return;
    const isFirst = count === undefined;
    count ??= new SeparatorCount(",", mostValues);
    const unread = isFirst ? pieces.whole() : piece;
    const end = count.add(unread);
    if (end === undefined) return;
    const soFar = pieces.length - unread.length + end;
    checkJson(decode(pieces.whole().subarray(0, soFar)), mostValues);
  };
};

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError("invalid_json", {
      detail: "The body is not valid UTF-8.",
      faults: [{ pointer: "", code: "invalid_encoding", detail: "send JSON in UTF-8" }],
      cause,
    });
  }
};
