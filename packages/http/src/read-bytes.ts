import { AppError } from "@postern/core";
import { bodyPieces } from "./body-pieces.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { HttpRequest } from "./http-request.ts";

type Sent = Pick<HttpRequest, "headers">;

/** The announced length of the body; `undefined` when it comes in chunks or there is none. */
export const announcedLength = ({ headers }: Sent): number | undefined =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** Whether a body comes with the request. An announced length of 0 is none. */
export const hasBody = (request: Sent): boolean =>
  request.headers["transfer-encoding"] !== undefined || (announcedLength(request) ?? 0) > 0;

export interface ByteLimits {
  readonly limit: number;
  readonly budget: ByteBudget;
}

/**
 * The bytes of the body, untouched. They count against the budget until the caller releases as many as
 * it got.
 * @throws AppError `content_too_large`, at once where the length is announced; `overloaded` when the
 *   budget is used up; `internal_error` for a body that something else has read before.
 * @throws CallerGone
 */
export const readBytes = async (request: HttpRequest, { limit, budget }: ByteLimits): Promise<Uint8Array> => {
  checkAnnouncedLength(request, limit);
  const pieces = bodyPieces();
  let length = 0;
  try {
    await request.body.read((piece) => {
      if (length + piece.length > limit) throw tooLarge(limit);
      if (!budget.take(piece.length)) throw noMemory();
      length += piece.length;
      pieces.add(piece);
    });
  } catch (thrown) {
    budget.release(length);
    throw thrown;
  }
  return pieces.whole();
};

/**
 * Reads a body that nobody asked for to its end, so that the connection can be used again.
 * @throws AppError as `readBytes`; CallerGone.
 */
export const discardBody = async (request: HttpRequest, limit: number): Promise<void> => {
  if (!hasBody(request)) return;
  checkAnnouncedLength(request, limit);
  let length = 0;
  await request.body.read((piece) => {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
  });
};

/**
 * Refuses a body that says itself that it is too long, before anything else is asked.
 * @throws AppError `content_too_large`.
 */
export const checkAnnouncedLength = (request: Sent, limit: number): void => {
  if ((announcedLength(request) ?? 0) > limit) throw tooLarge(limit);
};

const tooLarge = (limit: number): AppError =>
  new AppError("content_too_large", { detail: `The body is longer than ${limit} bytes.` });

const noMemory = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many large requests at once; send it again in a moment.",
    headers: { "retry-after": "1" },
  });

/** For adapters: the fault of a host that let a body parser read the request first. */
export const bodyWasRead = (): AppError =>
  new AppError("internal_error", {
    detail: "The request body was read before it came to Postern. Mount Postern in front of any body parser.",
    cause: new TypeError("the request body was consumed before Postern saw it; mount Postern in front of body parsers"),
  });
