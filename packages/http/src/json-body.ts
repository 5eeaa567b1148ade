import { AppError } from "@postern/core";
import type { RequestBody } from "@postern/rest";
import { checkJson } from "./check-json.ts";
import type { HttpRequest } from "./http-request.ts";
import { type ByteLimits, readBytes } from "./read-bytes.ts";

/**
 * Members and elements of a body, together. Far more than any operation has a use for: some hundred
 * thousand, which fit into a megabyte, keep `JSON.parse` busy for a tenth of a second.
 */
const mostValues = 10_000;

/** `fatal` refuses what is not UTF-8; `ignoreBOM` leaves a byte order mark in the text, where `checkJson` refuses it. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON body; `undefined` when it is empty. The bytes are complete, within the limits, valid UTF-8
 * and checked as JSON before `JSON.parse` sees them (`check-json.ts` says why).
 * @throws AppError `invalid_json` with a pointer, and as `readBytes`; CallerGone.
 */
export const readJson = async (request: HttpRequest, limits: ByteLimits): Promise<RequestBody | undefined> => {
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
