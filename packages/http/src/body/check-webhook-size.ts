import { AppError } from "@postern/core";
import type { BodyPieces } from "./read-bytes.ts";
import { SeparatorCount } from "./separator-count.ts";

const [openBrace, openBracket, space] = [..."{[ "].map((one) => one.charCodeAt(0));
const byteOrderMark = [0xef, 0xbb, 0xbf];
const separators = ",[{";

/** Looks at a webhook while it comes: at each piece of it, and at all pieces so far. */
type LookAtWebhook = (piece: Uint8Array, soFar: Pick<BodyPieces, "length" | "whole">) => void;

/**
 * Makes a function that refuses a webhook whose JSON would keep the parser busy for hundreds of
 * milliseconds, as soon as too many values have come. It only counts separators outside of strings,
 * because nothing may be parsed before the signature is checked. A body of less than two bytes for each
 * value is too short to hold that many, and is not looked at.
 * @throws AppError `content_too_large`, from the function.
 */
export const webhookSizeCheck = (mostValues: number): LookAtWebhook => {
  let count: SeparatorCount | undefined;
  let isJson: boolean | undefined;
  return (piece, soFar) => {
    if (soFar.length < 2 * mostValues || isJson === false) return;
    const isFirst = count === undefined;
    // The outermost value has a separator of its own, which opens it.
    count ??= new SeparatorCount(separators, mostValues - 1);
    const unread = isFirst ? soFar.whole() : piece;
    isJson ??= mayBeJson(unread);
    if (isJson && count.add(unread) !== undefined) throw tooMany(mostValues);
  };
};

/** Whether a body begins as JSON does. Nothing but space, which no sender sends, counts as JSON. */
const mayBeJson = (start: Uint8Array): boolean => {
  // The parser skips a byte order mark.
  let at = byteOrderMark.every((byte, n) => start[n] === byte) ? byteOrderMark.length : 0;
  while (at < start.length && (start[at] ?? 0) <= (space ?? 0)) at += 1;
  return at === start.length || start[at] === openBrace || start[at] === openBracket;
};

const tooMany = (mostValues: number): AppError =>
  new AppError("content_too_large", { detail: `The webhook holds more than ${mostValues} members and elements.` });
