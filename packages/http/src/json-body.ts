import { AppError } from "@postern/core";
import type { RequestBody } from "@postern/rest";
import { checkJson } from "./check-json.ts";
import type { HttpRequest } from "./http-request.ts";
import { type ByteLimits, readBytes } from "./read-bytes.ts";

/**
 * `fatal` refuses what is not UTF-8; `ignoreBOM` leaves a byte order mark in the text, where
 * `checkJson` refuses it.
 */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON body; `undefined` when it is empty. The bytes are complete, within the limits, valid
 * UTF-8 and checked as JSON before `JSON.parse` sees them (`check-json.ts` says why).
 * @throws AppError `invalid_json` with a pointer, and as `readBytes`; CallerGone.
 */
export const readJson = async (
  request: HttpRequest,
  { mostValues, ...limits }: ByteLimits & { readonly mostValues: number },
): Promise<RequestBody | undefined> => {
  const { bytes, release } = await readBytes(request, limits);
  try {
    if (bytes.length === 0) return undefined;
    const text = decode(bytes);
    checkJson(text, mostValues);
    return { value: JSON.parse(text), text };
  } finally {
    release();
  }
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
