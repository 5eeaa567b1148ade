import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import type { WaitingRequests } from "../slots.ts";
import { turns } from "./fair-turns.ts";
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
  /**
   * The newest request. A fault that Node finds on the connection belongs to it. `undefined` once
   * it has been answered and is no longer needed.
   */
  latest: NodeExchange | undefined;
  /** Requests that came over the connection so far. */
  requests: number;
  /**
   * True once an answer ends the connection. Whatever the caller sent after that request gets no
   * answer.
   */
  ends: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

/** The waiting requests that want a slot and come before the next request of `network`. */
export const waitingBefore = (network: string): WaitingRequests => ({
  ofAll: turns.wantSlot,
  ofNetwork: turns.wantSlotOf(network),
  networks: turns.networksThatWantSlots,
});

/** Whether an earlier answer ends the connection of a request. The request then gets no answer. */
export const comesTooLate = (req: IncomingMessage): boolean => connections.get(req.socket)?.ends === true;

/** Connections whose caller has had an answer before the newest request. */
const answered = new WeakSet<Duplex>();

/** Call this for an answer that is sent without an exchange. */
export const noteAnswered = (socket: Duplex): void => {
  answered.add(socket);
};

/** Whether any answer has left on a connection. */
export const hasAnswered = (socket: Duplex): boolean =>
  answered.has(socket) || latestOn(socket)?.res.writableFinished === true;

/** The newest request of a connection; maybe `undefined` when it has been answered. */
export const latestOn = (socket: Duplex): NodeExchange | undefined => connections.get(socket)?.latest;

/** Whether a connection has had a request. */
export const wasUsed = (socket: Duplex): boolean => connections.has(socket);

/**
 * Forgets a request that has been answered in full, if it is the newest of its connection. A
 * connection may stay idle for long, and the request, its answer and all that belongs to them take
 * as much memory as ten connections.
 */
export const forgetAnswered = (req: IncomingMessage, res: ServerResponse): void => {
  const connection = connections.get(req.socket);
  if (connection?.latest?.res !== res || !res.writableFinished || !req.complete) return;
  noteAnswered(req.socket);
  connection.latest = undefined;
};

/**
 * Opens the exchange for a request of `node:http`. Pass `originalUrl` if your framework does not
 * leave it on the request.
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
 * Answers a request of `node:http`: finds the answer, hands it to `send`, and logs it. Nothing is
 * sent to a caller that has gone, or that the server has already answered on the connection itself.
 * Pipelined requests are answered one after the other, each when the answer before it has left. So
 * only one answer waits for a caller that does not read. Never rejects.
 */
export const answerExchange = (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find?: () => Promise<Answer>,
): Promise<void> => {
  const entered = enter(nodeExchange);
  if (entered.connection.ends) return Promise.resolve();
  // Almost no request is pipelined, and each promise between a request and its answer costs time.
  if (entered.before !== undefined) return answerPipelined(gateway, nodeExchange, entered, send, find);
  endAtMost(gateway, nodeExchange, entered);
  return give(gateway, nodeExchange, send, find);
};

/** Ends the connection with the last request that it may carry, unless more was sent behind it. */
const endAtMost = ({ settings }: Gateway, { exchange }: NodeExchange, { connection, number }: Entered): void => {
  if (number < settings.maxRequestsPerConnection || connection.requests !== number) return;
  connection.ends = true;
  exchange.closes = true;
};

const answerPipelined = async (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  entered: Entered,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> => {
  const { exchange, req } = nodeExchange;
  const { pipelined, settings } = gateway;
  const { maxRequestsPerConnection: mostRequests } = settings;
  const { before, connection, number } = entered;
  const { network } = exchange;
  if (number > mostRequests || !pipelined.take(network, 1)) {
    connection.ends = true;
    exchange.closes = true;
    return give(gateway, nodeExchange, send, () => Promise.reject(tooManyAtOnce(mostRequests)));
  }
  if (before !== undefined) await delivered(before);
  pipelined.release(network, 1);
  if (!req.socket.writable) return gateway.log(exchange, undefined);
  endAtMost(gateway, nodeExchange, entered);
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
    const refused = gateway.refuseEarly(exchange, waitingBefore(network));
    if (refused !== undefined) return nodeExchange.cutOff === undefined ? send(refused) : undefined;
    const begun = turns.enter(network, gateway.wantsSlot(exchange));
    if (begun !== undefined) {
      await begun;
      if (!nodeExchange.req.socket.writable) return gateway.log(exchange, undefined);
    }
  }
  const answer = await gateway.answer(nodeExchange.exchange, find);
  turns.noteBytes(exchange.network, answer?.body?.length ?? 0);
  if (nodeExchange.cutOff === undefined && answer !== undefined) send(answer);
  gateway.log(nodeExchange.exchange, nodeExchange.cutOff ?? answer);
};

/** A request and its place on its connection. */
interface Entered {
  /** The answer before it, if that has not left yet. */
  readonly before: ServerResponse | undefined;
  readonly connection: Connection;
  readonly number: number;
}

const enter = (nodeExchange: NodeExchange): Entered => {
  const { socket } = nodeExchange.req;
  const known = connections.get(socket);
  if (known === undefined) {
    const connection = { latest: nodeExchange, requests: 1, ends: false };
    connections.set(socket, connection);
    return { before: undefined, connection, number: 1 };
  }
  const res = known.latest?.res;
  known.latest = nodeExchange;
  known.requests += 1;
  const before = res?.writableFinished || res?.destroyed ? undefined : res;
  if (res?.writableFinished) noteAnswered(socket);
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
