import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@postern/core";
import type { Gateway } from "../gateway.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import type { WaitingRequests } from "../slots.ts";
import { comesTooLate, isGone, isLastOf, type NodeExchange, placeOf, turnOf } from "./connections.ts";
import { turns } from "./fair-turns.ts";
import { nodeRequest } from "./node-request.ts";

/** The waiting requests that want a slot and come before the next request of `network`. */
export const waitingBefore = (network: string): WaitingRequests => ({
  ofAll: turns.wantSlot,
  ofNetwork: turns.wantSlotOf(network),
  networks: turns.networksThatWantSlots,
});

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
  waits: false,
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
  const { req, res } = nodeExchange;
  if (comesTooLate(req, res)) return Promise.resolve();
  const turn = turnOf(gateway, req, res);
  // Almost no request waits here, and each promise between a request and its answer costs time.
  if (turn === undefined) return giveInTurn(gateway, nodeExchange, send, find);
  return turn.then(() => giveInTurn(gateway, nodeExchange, send, find));
};

const giveInTurn = (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> => {
  const { exchange, req, res } = nodeExchange;
  const placed = placeOf(req, res);
  if (placed === undefined || isGone(req)) {
    gateway.log(exchange, undefined);
    return Promise.resolve();
  }
  placed.nodeExchange = nodeExchange;
  if (isLastOf(gateway, placed)) exchange.closes = true;
  if (!placed.isRefused) return give(gateway, nodeExchange, send, find);
  const refusal = tooManyAtOnce(gateway.settings.maxRequestsPerConnection);
  return give(gateway, nodeExchange, send, () => Promise.reject(refusal));
};

const give = (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> => {
  const { exchange } = nodeExchange;
  const { network } = exchange;
  if (gateway.isHealth(exchange)) {
    return whenBegun(turns.enterHealthCheck(network), gateway, nodeExchange, send, find);
  }
  const wantsSlot = gateway.wantsSlot(exchange);
  const refused = wantsSlot ? gateway.refuseEarly(exchange, waitingBefore(network)) : undefined;
  if (refused !== undefined) {
    if (nodeExchange.cutOff === undefined) send(refused);
    return Promise.resolve();
  }
  return whenBegun(turns.enter(network, wantsSlot), gateway, nodeExchange, send, find);
};

const whenBegun = (
  begun: Promise<void> | undefined,
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> => {
  const { exchange, req } = nodeExchange;
  if (begun === undefined) return answerNow(gateway, nodeExchange, send, find);
  nodeExchange.waits = true;
  return begun.then(() => {
    if (isGone(req)) return gateway.log(exchange, nodeExchange.cutOff);
    nodeExchange.waits = false;
    return answerNow(gateway, nodeExchange, send, find);
  });
};

/** This is no async function: with its registers, one takes three times the memory of a `then`. */
const answerNow = (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: (answer: HttpAnswer) => void,
  find: (() => Promise<Answer>) | undefined,
): Promise<void> =>
  gateway.answer(nodeExchange.exchange, find).then((answer) => {
    turns.noteBytes(nodeExchange.exchange.network, answer?.body?.length ?? 0);
    if (answer !== undefined && isRefused(answer.status)) turns.noteRefused(nodeExchange.exchange.network);
    if (nodeExchange.cutOff === undefined && answer !== undefined) send(answer);
    gateway.log(nodeExchange.exchange, nodeExchange.cutOff ?? answer);
  });

/** Such an answer costs as much as others, and brings its caller nothing. */
const isRefused = (status: number): boolean => status === 401 || status === 429 || status === 503;

const tooManyAtOnce = (mostRequests: number): AppError =>
  new AppError("overloaded", {
    detail: `Too many requests were sent without waiting for answers; send at most ${mostRequests} over one connection.`,
    headers: { "retry-after": "1" },
  });
