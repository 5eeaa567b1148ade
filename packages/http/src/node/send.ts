import type { Readable } from "node:stream";
import type { Gateway } from "../gateway.ts";
import type { HttpAnswer } from "../http-request.ts";
import { leavesBodyUnread, lingeringBody } from "./lingering-body.ts";
import { isLarge, largeBody } from "./readers.ts";
import type { Turn } from "./turns.ts";

/** An answer whose body is ready for the connection. */
export interface Sendable extends Omit<HttpAnswer, "body"> {
  /** A stream for a large body, which leaves in pieces. */
  readonly body: string | Readable | undefined;
}

/** Makes a large body a stream of pieces, or the answer a refusal where there is no memory for it. */
export const sendable = (gateway: Gateway, turn: Turn, answer: HttpAnswer): Sendable => {
  const { body } = answer;
  if (body === undefined || turn.req.method === "HEAD" || turn.res.destroyed || !isLarge(body)) return answer;
  try {
    return { ...answer, body: largeBody(gateway, turn, body) };
  } catch (thrown) {
    // The pipelined requests behind this one would only be refused, too.
    turn.exchange.closes = true;
    return gateway.answerFault(thrown, turn.exchange);
  }
};

/** Sends an answer to the connection. */
export const sendTurn = (gateway: Gateway, turn: Turn, answer: HttpAnswer): void => {
  const { req, res } = turn;
  // The caller may have gone while the answer was made.
  if (res.destroyed || res.headersSent) return;
  if (leavesBodyUnread(req, answer)) {
    res.writeHead(answer.status, { ...answer.headers, connection: "close" });
    res.flushHeaders();
    lingeringBody(req, (req.method === "HEAD" ? undefined : answer.body) ?? "").pipe(res);
    return;
  }
  const { status, headers, body } = sendable(gateway, turn, answer);
  res.writeHead(status, headers);
  if (typeof body === "object") body.pipe(res);
  else res.end(req.method === "HEAD" ? undefined : body);
};
