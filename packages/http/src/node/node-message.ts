import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { bodyWasRead } from "../body/read-bytes.ts";
import type { Gateway } from "../gateway.ts";
import { announcedLength, hasBody } from "../head/headers.ts";
import { pathOf, targetOf } from "../head/request-head.ts";
import {
  type BodyReader,
  CallerGone,
  type Headers,
  type HttpAnswer,
  type HttpRequest,
  type RequestBodySource,
} from "../http-request.ts";
import { connectionOf, type NodeExchange } from "./connections.ts";
import { largeBody, streamedBody } from "./readers.ts";

/** Requests that wait for `100 Continue` before they send their body; noted by the server. */
export const awaitingContinue = new WeakSet<IncomingMessage>();

/**
 * Frameworks that mount a handler below a path shorten `url` and keep the whole in `originalUrl`.
 */
type MountedMessage = IncomingMessage & { readonly originalUrl?: string };

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

/** A longer answer leaves in pieces, and its bytes count as waiting for their reader. */
const largeBytes = 64 * 1024;

interface Sendable extends Omit<HttpAnswer, "body"> {
  /** A stream for a large body, which leaves in pieces. */
  readonly body: string | Uint8Array | Readable | undefined;
}

/** Turns a large body into a stream of pieces. If there is no memory for it, returns a refusal. */
export const sendable = (gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer): Sendable => {
  const { body, stream } = answer;
  if (stream !== undefined) {
    if (nodeExchange.req.method === "HEAD") return { ...answer, body: "" };
    return { ...answer, body: streamedBody(gateway, nodeExchange.res, stream) };
  }
  if (
    body === undefined ||
    nodeExchange.req.method === "HEAD" ||
    nodeExchange.res.destroyed ||
    Number(answer.headers["content-length"]) <= largeBytes
  )
    return answer;
  try {
    return { ...answer, body: largeBody(gateway, nodeExchange, answer) };
  } catch (thrown) {
    // The pipelined requests behind this one would be refused as well.
    nodeExchange.exchange.closes = true;
    return gateway.answerFault(thrown, nodeExchange.exchange);
  }
};

/** Sends an answer to the connection. */
export const sendAnswer = (gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer): void => {
  const { req, res } = nodeExchange;
  // The caller may have gone while the answer was made.
  if (res.destroyed || res.headersSent) {
    answer.stream?.end();
    return;
  }
  if (leavesBodyUnread(req, answer)) {
    res.writeHead(answer.status, { ...answer.headers, connection: "close" });
    res.flushHeaders();
    answer.stream?.end();
    lingeringBody(req, (req.method === "HEAD" ? undefined : answer.body) ?? "").pipe(res);
    return;
  }
  const { status, headers, body } = sendable(gateway, nodeExchange, answer);
  res.writeHead(status, headers);
  // Who waits for a stream sees at once that it has begun.
  if (answer.stream !== undefined) res.flushHeaders();
  if (body instanceof Readable) body.pipe(res);
  else res.end(req.method === "HEAD" ? undefined : body);
};

/**
 * How long, and how much of, an unread body is still read and dropped, so that its sender can read
 * the answer.
 */
const linger = { ms: 2000, bytes: 16 * 1024 * 1024 };

/** Node itself reads a body of up to this length to its end, which keeps the connection usable. */
const skippedBytes = 1024 * 1024;

/**
 * Whether the caller is still sending bytes that are not worth waiting for. That is so when the
 * answer ends the connection anyway, when there are too many bytes, when their number is unknown,
 * and when the caller waits for `100 Continue`.
 */
export const leavesBodyUnread = (req: IncomingMessage, { headers }: Pick<HttpAnswer, "headers">): boolean =>
  !req.complete &&
  hasBody(req) &&
  (headers.connection === "close" || awaitingContinue.has(req) || (announcedLength(req) ?? Infinity) > skippedBytes);

/**
 * The body of an answer to a caller that is still sending. Send it with its `content-length` and
 * with `connection: close`. Closing at once would reset the connection, and the caller might lose
 * the answer. So the whole text goes out first, and the stream ends only when the caller has
 * stopped sending, or after 2 s or 16 MiB of ignored bytes.
 */
const lingeringBody = (req: IncomingMessage, text: string | Uint8Array): Readable => {
  // A caller that leaves once it has its answer has not wasted its connection, even if the stream
  // has not ended.
  connectionOf(req.socket).hasAnswered = true;
  const body = new Readable({ read: () => undefined });
  if (text.length > 0) body.push(text);
  let ignored = 0;
  const onData = (chunk: Buffer) => {
    ignored += chunk.length;
    if (ignored > linger.bytes) end();
  };
  const end = () => {
    clearTimeout(timer);
    req.off("data", onData).off("end", end).off("close", end);
    body.push(null);
  };
  const timer = setTimeout(end, linger.ms);
  if (awaitingContinue.has(req)) end();
  else {
    req
      .on("error", () => undefined)
      .on("data", onData)
      .once("end", end)
      .once("close", end)
      .resume();
  }
  return body;
};
