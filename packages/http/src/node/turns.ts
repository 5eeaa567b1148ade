import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import { nodeRequest } from "./node-request.ts";

/** A request on its connection. */
export interface Turn {
  readonly exchange: Exchange;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What the server answered on the connection itself, when the rest of the request was malformed or too slow. */
  cutOff: HttpAnswer | undefined;
}

/** The connections that have had a request, each with its newest: a fault that Node finds on a connection belongs to it. */
const latest = new WeakMap<Duplex, Turn>();

export const latestOn = (socket: Duplex): Turn | undefined => latest.get(socket);

/** Begins with a request of `node:http`. `originalUrl` is for frameworks that do not leave it on the request. */
export const openTurn = (gateway: Gateway, req: IncomingMessage, res: ServerResponse, originalUrl?: string): Turn => ({
  exchange: gateway.open(nodeRequest(req, res, originalUrl)),
  req,
  res,
  cutOff: undefined,
});

/**
 * Answers a request of `node:http`: finds the answer, hands it to `send`, and has it logged. Nothing is
 * sent to a caller that went away, or that the server has answered itself. Never rejects.
 */
export const answerTurn = async (
  gateway: Gateway,
  turn: Turn,
  send: (answer: HttpAnswer) => void,
  find?: () => Promise<Answer>,
): Promise<void> => {
  latest.set(turn.req.socket, turn);
  const answer = await gateway.answer(turn.exchange, find);
  if (turn.cutOff === undefined && answer !== undefined) send(answer);
  gateway.log(turn.exchange, turn.cutOff ?? answer);
};
