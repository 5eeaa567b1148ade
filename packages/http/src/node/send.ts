import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Gateway } from "../gateway.ts";
import { announcedLength, hasBody } from "../head/headers.ts";
import type { HttpAnswer } from "../http-request.ts";
import type { NodeExchange } from "./connections.ts";
import { noteAnswered } from "./connections.ts";
import { awaitingContinue } from "./node-request.ts";
import { largeBody } from "./readers.ts";

/** A longer answer leaves in pieces, and its bytes count as waiting for their reader. */
const largeBytes = 64 * 1024;

/** An answer whose body is ready for the connection. */
interface Sendable extends Omit<HttpAnswer, "body"> {
  /** A stream for a large body, which leaves in pieces. */
  readonly body: string | Uint8Array | Readable | undefined;
}

/** Turns a large body into a stream of pieces. If there is no memory for it, returns a refusal. */
export const sendable = (gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer): Sendable => {
  const { body } = answer;
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
  if (res.destroyed || res.headersSent) return;
  if (leavesBodyUnread(req, answer)) {
    res.writeHead(answer.status, { ...answer.headers, connection: "close" });
    res.flushHeaders();
    lingeringBody(req, (req.method === "HEAD" ? undefined : answer.body) ?? "").pipe(res);
    return;
  }
  const { status, headers, body } = sendable(gateway, nodeExchange, answer);
  res.writeHead(status, headers);
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
  noteAnswered(req.socket);
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
