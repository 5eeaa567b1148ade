import { AppError } from "@postern/core";
import { counted, SeparatorCount } from "./separator-count.ts";

const [openBrace, openBracket, space] = [..."{[ "].map((one) => one.charCodeAt(0));
const byteOrderMark = [0xef, 0xbb, 0xbf];
const separators = counted(",[{");

/**
 * Refuses a webhook whose JSON would keep the parser busy for hundreds of milliseconds. It only
 * counts separators outside of strings, because nothing may be parsed before the signature is
 * checked. A body too short to hold that many values is not checked.
 * @throws AppError `content_too_large`.
 */
export const checkWebhookSize = (body: Uint8Array, mostValues: number): void => {
  if (body.length < 2 * mostValues) return;
  // The parser skips a byte order mark.
  let start = byteOrderMark.every((byte, at) => body[at] === byte) ? byteOrderMark.length : 0;
  while (start < body.length && (body[start] ?? 0) <= (space ?? 0)) start += 1;
  if (body[start] !== openBrace && body[start] !== openBracket) return;
  // The outermost value has a separator of its own, which opens it.
  const count = new SeparatorCount(separators, mostValues - 1);
  if (count.add(body.subarray(start)) !== undefined) throw tooMany(mostValues);
};

const tooMany = (mostValues: number): AppError =>
  new AppError("content_too_large", { detail: `The webhook holds more than ${mostValues} members and elements.` });
