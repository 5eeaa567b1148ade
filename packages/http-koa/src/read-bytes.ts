import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@postern/core";
import { bodyPieces } from "./body-pieces.ts";
import type { ByteBudget } from "./byte-budget.ts";

/** The caller went away before its request was complete: there is nobody to answer. */
export class CallerGone extends Error {
  override readonly name = "CallerGone";
}

/** Requests that wait for `100 Continue` before they send their body; noted by whoever owns the server. */
export const awaitingContinue = new WeakSet<IncomingMessage>();

/** The announced length of the body; `undefined` when it comes in chunks or there is none. */
export const announcedLength = ({ headers }: IncomingMessage): number | undefined =>
  headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);

/** Whether a body comes with the request. An announced length of 0 is none. */
export const hasBody = (req: IncomingMessage): boolean =>
  req.headers["transfer-encoding"] !== undefined || (announcedLength(req) ?? 0) > 0;

export interface ByteLimits {
  readonly limit: number;
  readonly budget: ByteBudget;
}

/**
 * The bytes of the body, untouched. They count against the budget until whoever called releases as many as it got. A sender that stops
 * halfway is cut off by the server's request timeout.
 * @throws AppError `content_too_large`, at once where the length is announced; `overloaded`; `internal_error` for a body that was read by someone else.
 * @throws CallerGone
 */
export const readBytes = ({ req, res }: { req: IncomingMessage; res: ServerResponse }, limits: ByteLimits) =>
  collect(req, res, limits, true);

/** Reads a body that nobody asked for to its end, so that the connection can be used again. @throws as `readBytes`. */
export const discardBody = async ({ req, res }: { req: IncomingMessage; res: ServerResponse }, limits: ByteLimits) => {
  if (hasBody(req)) await collect(req, res, limits, false);
};

/** A body that says itself that it is too long is refused before anything else is asked. @throws AppError `content_too_large`. */
export const checkAnnouncedLength = (req: IncomingMessage, limit: number): void => {
  if ((announcedLength(req) ?? 0) > limit) throw tooLarge(limit);
};

const tooLarge = (limit: number): AppError =>
  new AppError("content_too_large", { detail: `The body is longer than ${limit} bytes.` });

const collect = (
  req: IncomingMessage,
  res: ServerResponse,
  { limit, budget }: ByteLimits,
  keep: boolean,
): Promise<Buffer> => {
  return new Promise((resolve, reject) => {
    if ((announcedLength(req) ?? 0) > limit) return reject(tooLarge(limit));
    if (req.readableDidRead) return reject(alreadyRead());
    if (req.destroyed) return reject(new CallerGone());
    if (awaitingContinue.delete(req)) res.writeContinue();

    const pieces = bodyPieces();
    let length = 0;
    let held = 0;

    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) return fail(tooLarge(limit));
      if (!keep) return;
      if (!budget.take(chunk.length)) {
        return fail(
          new AppError("overloaded", {
            detail: "Too many large requests at once; send it again in a moment.",
            headers: { "retry-after": "1" },
          }),
        );
      }
      held += chunk.length;
      pieces.add(chunk);
    };
    // Listeners are left on a request that has come to its end: taking them off would cost more than the rest of this.
    let ended = false;
    const onEnd = () => {
      ended = true;
      resolve(pieces.whole());
    };
    const onGone = () => {
      if (!ended) fail(new CallerGone());
    };
    const fail = (error: Error) => {
      req.off("data", onData).off("end", onEnd).off("close", onGone);
      req.pause();
      budget.release(held);
      reject(error);
    };
    // Aborting emits `error` before `close`; without a listener it would end the process, and it may still come after `fail`.
    req.on("error", ignore).on("data", onData).on("end", onEnd).on("close", onGone);
  });
};

const ignore = () => undefined;

const alreadyRead = () =>
  new AppError("internal_error", {
    detail: "The request body was read before it came to Postern. Mount Postern in front of any body parser.",
    cause: new TypeError("the request body was consumed before Postern saw it; mount Postern in front of body parsers"),
  });
