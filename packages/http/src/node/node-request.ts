import type { IncomingMessage, ServerResponse } from "node:http";
import { pathOf, targetOf } from "../exchange.ts";
import { type BodyReader, CallerGone, type HttpRequest, type RequestBodySource } from "../http-request.ts";
import { bodyWasRead } from "../read-bytes.ts";
import { bodyPace } from "./body-pace.ts";
import { turns } from "./fair-turns.ts";

/** Requests that wait for `100 Continue` before they send their body; noted by the server. */
export const awaitingContinue = new WeakSet<IncomingMessage>();

/**
 * Frameworks that mount a handler below a path shorten `url` and keep the whole in `originalUrl`.
 */
type MountedMessage = IncomingMessage & { readonly originalUrl?: string };

/**
 * Turns a request of `node:http` into plain data. Some frameworks shorten `req.url`. Express and
 * Connect leave the whole target on the request. For a framework that does not, pass the target of
 * the request line as `givenUrl`.
 */
export const nodeRequest = (req: MountedMessage, res: ServerResponse, givenUrl?: string): HttpRequest => {
  const originalUrl = req.originalUrl ?? givenUrl ?? req.url ?? "/";
  return {
    method: req.method ?? "",
    target: originalUrl,
    mountPath: originalUrl === req.url ? "" : mountPathOf(originalUrl, req.url ?? "/"),
    httpVersion: req.httpVersion,
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    scheme: "encrypted" in req.socket ? "https" : "http",
    address: req.socket.remoteAddress ?? "unknown",
    body: new NodeBody(req, res),
  };
};

class NodeBody implements RequestBodySource {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
  }

  read(reader: BodyReader): Promise<void> {
    return readBody(this.#req, this.#res, reader);
  }

  trailers(): readonly string[] {
    return this.#req.rawTrailers;
  }
}

/** The part of the original path that the framework has cut off in front. */
const mountPathOf = (originalUrl: string, url: string): string => {
  const whole = pathOf(targetOf(originalUrl));
  const rest = pathOf(targetOf(url));
  if (whole.endsWith(rest)) return whole.slice(0, whole.length - rest.length);
  // Below `/x`, the path `/x` itself is shortened to `/`.
  return rest === "/" ? whole : "";
};

const readBody = (req: IncomingMessage, res: ServerResponse, reader: BodyReader): Promise<void> =>
  new Promise((resolve, reject) => {
    if (req.readableDidRead) return reject(bodyWasRead());
    if (req.destroyed) return reject(new CallerGone());
    if (awaitingContinue.delete(req)) res.writeContinue();

    let soFar = 0;
    const onData = (piece: Buffer) => {
      try {
        // Before the look at it: to find out that a body holds too much is most of its work.
        turns.noteBytes(reader.network, piece.length);
        reader.take(piece);
        soFar += piece.length;
        bodyPace.note(req, reader.network, piece.length, soFar);
      } catch (thrown) {
        fail(thrown);
      }
    };
    // Listeners stay on a request that has ended. Removing them would cost more than all the rest
    // here.
    let ended = false;
    const onEnd = () => {
      ended = true;
      resolve();
    };
    const onGone = () => {
      if (!ended) fail(new CallerGone());
    };
    const fail = (thrown: unknown) => {
      req.off("data", onData).off("end", onEnd).off("close", onGone);
      req.pause();
      reject(thrown);
    };
    reader.stop = fail;
    // Aborting emits `error` before `close`; without a listener it would end the process, and it
    // may still come after `fail`.
    req.on("error", ignore).on("data", onData).on("end", onEnd).on("close", onGone);
  });

const ignore = () => undefined;
