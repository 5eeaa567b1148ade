import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyWasRead } from "../body/read-bytes.ts";
import { pathOf, targetOf } from "../head/target.ts";
import {
  type BodyReader,
  CallerGone,
  type Headers,
  type HttpRequest,
  type RequestBodySource,
} from "../http-request.ts";

/** Requests that wait for `100 Continue` before they send their body; noted by the server. */
export const awaitingContinue = new WeakSet<IncomingMessage>();

/**
 * Frameworks that mount a handler below a path shorten `url` and keep the whole in `originalUrl`.
 */
type MountedMessage = IncomingMessage & { readonly originalUrl?: string };

/** Where a message leads to its body. */
const bodyOf = Symbol("body");

type ReadMessage = IncomingMessage & { [bodyOf]?: NodeRequest };

/**
 * A request of `node:http`, its body, and the state of reading it, in one object: apart they took
 * 0.1 kB more. The message leads to it, so that its listeners are the same functions for all
 * messages: four closures for each took 0.4 kB.
 */
export class NodeRequest implements HttpRequest, RequestBodySource {
  readonly method: string;
  readonly httpVersion: string;
  readonly headers: Headers;
  readonly rawHeaders: readonly string[];
  readonly scheme: "http" | "https";
  readonly target: string;
  readonly mountPath: string;
  /** Taken at once, because a connection that is gone has none. */
  readonly address: string;
  readonly body: RequestBodySource = this;
  readonly #req: ReadMessage;
  readonly #res: ServerResponse;
  /** This and what follows is for the listeners below. */
  reader: BodyReader | undefined;
  resolve: () => void = ignore;
  #reject: (thrown: unknown) => void = ignore;
  hasEnded = false;
  waits = false;

  /**
   * Some frameworks shorten `req.url`. Express and Connect leave the whole target on the request. For
   * a framework that does not, pass the target of the request line as `givenUrl`.
   */
  constructor(req: MountedMessage, res: ServerResponse, givenUrl?: string) {
    this.method = req.method ?? "";
    this.httpVersion = req.httpVersion;
    this.headers = req.headers;
    this.rawHeaders = req.rawHeaders;
    this.scheme = "encrypted" in req.socket ? "https" : "http";
    this.target = req.originalUrl ?? givenUrl ?? req.url ?? "/";
    this.mountPath = this.target === req.url ? "" : mountPathOf(this.target, req.url ?? "/");
    this.address = req.socket.remoteAddress ?? "unknown";
    this.#req = req;
    this.#res = res;
  }

  get isGone(): boolean {
    return this.#req.socket.writable === false;
  }

  read(reader: BodyReader): Promise<void> {
    const req = this.#req;
    return new Promise((resolve, reject) => {
      if (req.readableDidRead) return reject(bodyWasRead());
      if (req.destroyed) return reject(new CallerGone());
      if (awaitingContinue.delete(req)) this.#res.writeContinue();
      this.reader = reader;
      this.resolve = resolve;
      this.#reject = reject;
      req[bodyOf] = this;
      // Aborting emits `error` before `close`; without a listener it would end the process, and it
      // may still come after the body was given up.
      req.on("error", ignore).on("data", onData);
      req.on("end", onEnd).on("close", onClose);
    });
  }

  trailers(): readonly string[] {
    return this.#req.rawTrailers;
  }

  /** Leaves the rest in the connection until there is room for it. */
  waitFor(room: Promise<void>): void {
    this.waits = true;
    this.#req.pause();
    room.then(
      () => {
        this.waits = false;
        if (this.hasEnded) return this.resolve();
        this.#req.resume();
      },
      (thrown: unknown) => this.fail(thrown),
    );
  }

  fail(thrown: unknown): void {
    // Listeners stay on a request that has ended. Removing them would cost more than all the rest
    // here.
    this.#req.off("data", onData).off("end", onEnd).off("close", onClose);
    this.#req.pause();
    this.#reject(thrown);
  }
}

function onData(this: ReadMessage, piece: Buffer): void {
  const body = this[bodyOf];
  try {
    const room = body?.reader?.take(piece);
    if (room !== undefined) body?.waitFor(room);
  } catch (thrown) {
    body?.fail(thrown);
  }
}

function onEnd(this: ReadMessage): void {
  const body = this[bodyOf];
  if (body === undefined) return;
  body.hasEnded = true;
  // Node tells the end behind the last piece, even if it is told to pause at that piece.
  if (!body.waits) body.resolve();
}

function onClose(this: ReadMessage): void {
  const body = this[bodyOf];
  if (body?.hasEnded === false) body.fail(new CallerGone());
}

/** The part of the original path that the framework has cut off in front. */
const mountPathOf = (originalUrl: string, url: string): string => {
  const whole = pathOf(targetOf(originalUrl));
  const rest = pathOf(targetOf(url));
  if (whole.endsWith(rest)) return whole.slice(0, whole.length - rest.length);
  // Below `/x`, the path `/x` itself is shortened to `/`.
  return rest === "/" ? whole : "";
};

const ignore = () => undefined;
