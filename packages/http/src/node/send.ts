import { Readable } from "node:stream";
import type { Gateway } from "../gateway.ts";
import type { HttpAnswer } from "../http-request.ts";
import type { NodeExchange } from "./connections.ts";
import { leavesBodyUnread, lingeringBody } from "./lingering-body.ts";
import { isLarge, largeBody } from "./readers.ts";

/** An answer whose body is ready for the connection. */
export interface Sendable extends Omit<HttpAnswer, "body"> {
  /** A stream for a large body, which leaves in pieces. */
  readonly body: string | Uint8Array | Readable | undefined;
}

/** Turns a large body into a stream of pieces. If there is no memory for it, returns a refusal. */
export const sendable = (gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer): Sendable => {
  const { body } = answer;
  if (body === undefined || nodeExchange.req.method === "HEAD" || nodeExchange.res.destroyed || !isLarge(body))
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
