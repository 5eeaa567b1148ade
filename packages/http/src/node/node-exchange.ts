import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@postern/core";
import type { Gateway } from "../gateway.ts";
import type { Answer } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import {
  isGone,
  isLastOf,
  latestOn,
  mayBegin,
  mostRequests,
  type NodeExchange,
  type PlacedRequest,
  placeRequest,
} from "./connections.ts";
import { nodeRequest } from "./node-request.ts";

/** Requests that a server of our own has admitted already, before a framework saw them. */
const admitted = new WeakMap<IncomingMessage, NodeExchange>();

/**
 * Opens the exchange for a request of `node:http`. Pass `originalUrl` if your framework does not
 * leave it on the request.
 */
export const openExchange = (
  gateway: Gateway,
  req: IncomingMessage,
  res: ServerResponse,
  originalUrl?: string,
): NodeExchange => {
  const known = admitted.get(req);
  if (known !== undefined && known.exchange.request.target === req.url) return known;
  const opened: NodeExchange = {
    exchange: gateway.open(nodeRequest(req, res, originalUrl)),
    req,
    res,
    cutOff: undefined,
    isAnswered: false,
  };
  if (known !== undefined) takeOver(known, opened);
  return opened;
};

/**
 * A framework has mounted Postern below a path, so another path is asked for than the one that was
 * admitted. It is admitted again when it is answered.
 */
const takeOver = (known: NodeExchange, opened: NodeExchange): void => {
  known.exchange.ticket?.release();
  opened.exchange.closes = known.exchange.closes;
  admitted.set(opened.req, opened);
  const placed = latestOn(opened.req.socket);
  if (placed?.nodeExchange === known) placed.nodeExchange = opened;
};

/** Sends an answer to the caller. */
type Send = (answer: HttpAnswer) => void;

/**
 * Waits until a request that has its turn on its connection is admitted. Returns whether it is to be
 * answered. If not, it has been refused or its caller is gone.
 */
export const admitExchange = async (
  gateway: Gateway,
  placed: PlacedRequest,
  nodeExchange: NodeExchange,
  send: Send,
): Promise<boolean> => {
  const { exchange, req } = nodeExchange;
  if (isGone(req)) return leave(gateway, nodeExchange);
  placed.nodeExchange = nodeExchange;
  if (isLastOf(placed)) exchange.closes = true;
  try {
    if (placed.refused === "too-many") throw tooManyAtOnce();
    const admission = gateway.admit(exchange);
    if (admission !== undefined) {
      placed.waits = true;
      await admission;
      placed.waits = false;
    }
  } catch (thrown) {
    finish(gateway, nodeExchange, gateway.answerFault(thrown, exchange), send);
    return false;
  }
  if (!isGone(req)) return true;
  exchange.ticket?.release();
  return leave(gateway, nodeExchange);
};

/**
 * Answers a request of `node:http`: finds the answer, hands it to `send`, and logs it. Nothing is
 * sent to a caller that has gone, or that the server has already answered on the connection itself.
 * Never rejects.
 */
export const answerExchange = async (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send: Send,
  find?: () => Promise<Answer>,
): Promise<void> => {
  const { exchange, req, res } = nodeExchange;
  nodeExchange.isAnswered = true;
  if (!admitted.has(req)) {
    const placed = placeRequest(gateway, req, res);
    if (placed.turn !== undefined) await placed.turn;
    if (!mayBegin(placed) || !(await admitExchange(gateway, placed, nodeExchange, send))) return;
  }
  finish(gateway, nodeExchange, await gateway.answer(exchange, find), send);
};

/**
 * Notes that a framework gets an exchange that has been admitted. If the framework answers it itself, the
 * ticket is given back when the answer has left.
 */
export const handOn = (nodeExchange: NodeExchange): void => {
  const { exchange, req, res } = nodeExchange;
  admitted.set(req, nodeExchange);
  res.once("close", () => {
    if (!nodeExchange.isAnswered) exchange.ticket?.release();
  });
};

const finish = (gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer | undefined, send: Send): void => {
  if (nodeExchange.cutOff === undefined && answer !== undefined) send(answer);
  gateway.log(nodeExchange.exchange, nodeExchange.cutOff ?? answer);
};

const leave = (gateway: Gateway, { exchange, cutOff }: NodeExchange): false => {
  gateway.log(exchange, cutOff);
  return false;
};

const tooManyAtOnce = (): AppError =>
  new AppError("overloaded", {
    detail: `Too many requests were sent without waiting for answers; send at most 16 at once, and ${mostRequests} over one connection.`,
    headers: { "retry-after": "1" },
  });
