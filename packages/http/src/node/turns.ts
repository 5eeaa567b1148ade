import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import { createShares } from "../shares.ts";
import { nodeRequest } from "./node-request.ts";

/** A request on its connection. */
export interface Turn {
  readonly exchange: Exchange;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What the server answered on the connection itself, when the rest of the request was malformed or too slow. */
  cutOff: HttpAnswer | undefined;
}

/** What is known of a connection that has had a request. */
interface Connection {
  /** The newest request: a fault that Node finds on the connection belongs to it. */
  latest: Turn;
  /** Requests that came over the connection so far. */
  requests: number;
  /** True once an answer ends the connection. Whatever the caller sent after that request has no answer. */
  ends: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

/** Requests over one connection; the last one is answered with `Connection: close`. */
const mostRequests = 1_000;

/** Pipelined requests that wait for the answers before theirs, over all connections and from one address. */
const pipelined = createShares({ total: 4_000, perAddress: mostRequests });

export const latestOn = (socket: Duplex): Turn | undefined => connections.get(socket)?.latest;

/** Begins with a request of `node:http`. `originalUrl` is for frameworks that do not leave it on the request. */
export const openTurn = (gateway: Gateway, req: IncomingMessage, res: ServerResponse, originalUrl?: string): Turn => ({
  exchange: gateway.open(nodeRequest(req, res, originalUrl)),
  req,
  res,
  cutOff: undefined,
});

/**
 * Answers a request of `node:http`: finds the answer, hands it to `send`, and has it logged. Nothing is
 * sent to a caller that went away, or that the server has answered itself. Pipelined requests are answered
 * one after the other, each when the answer before it has left, so that a caller that does not read makes
 * one answer wait and no more. Never rejects.
 */
export const answerTurn = async (
  gateway: Gateway,
  turn: Turn,
  send: (answer: HttpAnswer) => void,
  find?: () => Promise<Answer>,
): Promise<void> => {
  const { exchange, req } = turn;
  const { before, connection, number } = enter(turn);
  if (connection.ends) return;
  if (before !== undefined) {
    const { network } = exchange;
    if (number > mostRequests || !pipelined.take(network, 1)) {
      connection.ends = true;
      exchange.closes = true;
      return give(gateway, turn, send, () => Promise.reject(tooManyAtOnce()));
    }
    await delivered(before);
    pipelined.release(network, 1);
    if (!req.socket.writable) return gateway.log(exchange, undefined);
  }
  if (number >= mostRequests && connection.requests === number) {
    connection.ends = true;
    exchange.closes = true;
  }
  return give(gateway, turn, send, find);
};

const give = async (
  gateway: Gateway,
  turn: Turn,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> => {
  const answer = await gateway.answer(turn.exchange, find);
  if (turn.cutOff === undefined && answer !== undefined) send(answer);
  gateway.log(turn.exchange, turn.cutOff ?? answer);
};

/** Puts a request behind the others of its connection; `before` is one whose answer has not left yet. */
const enter = (turn: Turn): { before: ServerResponse | undefined; connection: Connection; number: number } => {
  const { socket } = turn.req;
  const known = connections.get(socket);
  if (known === undefined) {
    const connection = { latest: turn, requests: 1, ends: false };
    connections.set(socket, connection);
    return { before: undefined, connection, number: 1 };
  }
  const { res } = known.latest;
  known.latest = turn;
  known.requests += 1;
  const before = res.writableFinished || res.destroyed ? undefined : res;
  return { before, connection: known, number: known.requests };
};

const delivered = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    res.once("close", () => resolve());
  });

const tooManyAtOnce = (): AppError =>
  new AppError("overloaded", {
    detail: `Too many requests were sent without waiting for answers; send at most ${mostRequests} over one connection.`,
    headers: { "retry-after": "1" },
  });
