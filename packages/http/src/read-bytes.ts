import { AppError } from "@postern/core";
import { bodyPieces } from "./body-pieces.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { BodyReader, HttpRequest } from "./http-request.ts";
import type { Uploads } from "./uploads.ts";

type Sent = Pick<HttpRequest, "headers">;

/** The announced length of the body; `undefined` when it comes in chunks or there is none. */
export const announcedLength = ({ headers }: Sent): number | undefined =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** Whether a body comes with the request. An announced length of 0 is none. */
export const hasBody = (request: Sent): boolean =>
  request.headers["transfer-encoding"] !== undefined || (announcedLength(request) ?? 0) > 0;

export interface ByteLimits {
  readonly limit: number;
  /** Whose share of the budget the bytes are taken from. */
  readonly network: string;
  readonly budget: ByteBudget;
  readonly uploads: Uploads;
}

/** A body in memory. Its bytes count against the budget until `release`. */
export interface HeldBody {
  readonly bytes: Uint8Array;
  readonly release: () => void;
}

/**
 * The bytes of the body, untouched.
 * @throws AppError `content_too_large`, at once where the length is announced; `overloaded` when
 * the share of the address or the budget is used up; `request_timeout` for an upload that is too
 * slow; `internal_error` for a body that something else has read before.
 * @throws CallerGone
 */
export const readBytes = async (
  request: HttpRequest,
  { limit, network, budget, uploads }: ByteLimits,
): Promise<HeldBody> => {
  checkAnnouncedLength(request, limit);
  const pieces = bodyPieces();
  const memory = budget.open(network);
  let length = 0;
  const reader: BodyReader = {
    take: (piece) => {
      length += piece.length;
      if (length > limit) throw tooLarge(limit);
      if (!memory.take(piece.length)) throw noMemory();
      upload.bytes += piece.length;
      pieces.add(piece);
    },
  };
  const upload = uploads.begin(reader);
  try {
    await request.body.read(reader);
  } catch (thrown) {
    memory.release();
    throw thrown;
  } finally {
    uploads.end(upload);
  }
  return { bytes: pieces.whole(), release: memory.release };
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
