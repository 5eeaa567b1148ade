import { AppError } from "@postern/core";

const [quote, backslash, comma, openBrace, openBracket, space] = [...'"\\,{[ '].map((one) => one.charCodeAt(0));

/**
 * Refuses a webhook whose JSON would keep the parser busy for hundreds of milliseconds. It counts
 * separators in the bytes and looks only for where texts begin and end, because nothing may be
 * parsed before the signature holds. A body too short to hold so many values is not looked at.
 * @throws AppError `content_too_large`.
 */
export const checkWebhookSize = (body: Uint8Array, mostValues: number): void => {
  if (body.length < 2 * mostValues) return;
  let start = 0;
  while (start < body.length && (body[start] ?? 0) <= (space ?? 0)) start += 1;
  if (body[start] !== openBrace && body[start] !== openBracket) return;
  let values = 1;
  let inText = false;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (inText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      values += 1;
      if (values > mostValues) throw tooMany(mostValues);
    }
  }
};

const tooMany = (mostValues: number): AppError =>
  new AppError("content_too_large", { detail: `The webhook holds more than ${mostValues} members and elements.` });
