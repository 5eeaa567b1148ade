import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import { createFairTurns } from "./fair-turns.ts";
import { nodeRequest } from "./node-request.ts";

/** A request on its connection. */
export interface NodeExchange {
  readonly exchange: Exchange;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /**
   * What the server answered on the connection itself, when the rest of the request was malformed
   * or too slow.
   */
  cutOff: HttpAnswer | undefined;
}

/** What is known of a connection that has had a request. */
interface Connection {
  /** The newest request: a fault that Node finds on the connection belongs to it. */
  latest: NodeExchange;
  /** Requests that came over the connection so far. */
  requests: number;
  /**
   * True once an answer ends the connection. Whatever the caller sent after that request has no
   * answer.
   */
  ends: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

/** One for the process: all servers share its event loop. */
export const turns = createFairTurns();

/**
 * Whether an answer that is under way ends the connection of a request, so that the request gets
 * none.
 */
export const comesTooLate = (req: IncomingMessage): boolean => connections.get(req.socket)?.ends === true;

export const latestOn = (socket: Duplex): NodeExchange | undefined => connections.get(socket)?.latest;

/**
 * Begins with a request of `node:http`. `originalUrl` is for frameworks that do not leave it on the
 * request.
 */
export const openExchange = (
  gateway: Gateway,
  req: IncomingMessage,
  res: ServerResponse,
  originalUrl?: string,
): NodeExchange => ({
  exchange: gateway.open(nodeRequest(req, res, originalUrl)),
  req,
  res,
  cutOff: undefined,
});

/**
 * Answers a request of `node:http`: finds the answer, hands it to `send`, and has it logged.
 * Nothing is sent to a caller that went away, or that the server has answered itself. Pipelined
 * requests are answered one after the other, each when the answer before it has left, so that a
 * caller that does not read makes one answer wait and no more. Never rejects.
 */
export const answerExchange = async (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find?: () => Promise<Answer>,
): Promise<void> => {
  const { exchange, req } = nodeExchange;
  const { pipelined, settings } = gateway;
  const { maxRequestsPerConnection: mostRequests } = settings;
  const { before, connection, number } = enter(nodeExchange);
  if (connection.ends) return;
  if (before !== undefined) {
    const { network } = exchange;
    if (number > mostRequests || !pipelined.take(network, 1)) {
      connection.ends = true;
      exchange.closes = true;
      return give(gateway, nodeExchange, send, () => Promise.reject(tooManyAtOnce(mostRequests)));
    }
    await delivered(before);
    pipelined.release(network, 1);
    if (!req.socket.writable) return gateway.log(exchange, undefined);
  }
  if (number >= mostRequests && connection.requests === number) {
    connection.ends = true;
    exchange.closes = true;
  }
  return give(gateway, nodeExchange, send, find);
};

const give = async (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> => {
  const { exchange } = nodeExchange;
  if (!gateway.isHealth(exchange)) {
    const { network } = exchange;
    const refused = gateway.refuseEarly(exchange, { ofAll: turns.waiting, ofNetwork: turns.waitingOf(network) });
    if (refused !== undefined) return nodeExchange.cutOff === undefined ? send(refused) : undefined;
    const begun = turns.enter(network);
    if (begun !== undefined) {
      await begun;
      if (!nodeExchange.req.socket.writable) return gateway.log(exchange, undefined);
    }
  }
  const answer = await gateway.answer(nodeExchange.exchange, find);
  if (nodeExchange.cutOff === undefined && answer !== undefined) send(answer);
  gateway.log(nodeExchange.exchange, nodeExchange.cutOff ?? answer);
};

/**
 * Puts a request behind the others of its connection; `before` is one whose answer has not left
 * yet.
 */
const enter = (
  nodeExchange: NodeExchange,
): { before: ServerResponse | undefined; connection: Connection; number: number } => {
  const { socket } = nodeExchange.req;
  const known = connections.get(socket);
  if (known === undefined) {
    const connection = { latest: nodeExchange, requests: 1, ends: false };
    connections.set(socket, connection);
    return { before: undefined, connection, number: 1 };
  }
  const { res } = known.latest;
  known.latest = nodeExchange;
  known.requests += 1;
  const before = res.writableFinished || res.destroyed ? undefined : res;
  return { before, connection: known, number: known.requests };
};

const delivered = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    res.once("close", () => resolve());
  });

const tooManyAtOnce = (mostRequests: number): AppError =>
  new AppError("overloaded", {
    detail: `Too many requests were sent without waiting for answers; send at most ${mostRequests} over one connection.`,
    headers: { "retry-after": "1" },
  });
