import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@postern/core";
import type { Exchange } from "../exchange.ts";
import { createGateway, type Gateway } from "../gateway.ts";
import type { Answer, HttpApp } from "../http-app.ts";
import type { HttpAnswer } from "../http-request.ts";
import type { HttpOptions } from "../options.ts";
import { connectionOf, isLastOf, mostRequests, type NodeExchange, placeRequest } from "./connections.ts";
import { NodeRequest, sendAnswer } from "./node-message.ts";

/** Resolves when the answer is handed to the connection; never rejects. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse, next?: () => void) => Promise<void>;

/**
 * Postern as a listener for `node:http`, for Express (`server.use(nodeListener(app))`) or, in an
 * `onRequest` hook, for Fastify. If it gets a `next`, as in Express, it calls that for every path
 * that is not Postern's. Without a `next`, it answers those paths, too.
 *
 * Put it in front of any body parser. If a framework mounts it below a path, as `use("/x", …)`
 * does, that path comes before all paths of Postern.
 *
 * @throws TypeError for options that cannot work.
 */
export const nodeListener = (app: HttpApp, options: HttpOptions = {}): NodeListener =>
  gatewayListener(createGateway(app, options));

/** The same for a gateway that several adapters share. */
export const gatewayListener =
  (gateway: Gateway): NodeListener =>
  (req, res, next) => {
    const nodeExchange = openExchange(gateway, req, res);
    if (next !== undefined && !gateway.owns(nodeExchange.exchange)) return Promise.resolve(next());
    return answerExchange(gateway, nodeExchange);
  };

/**
 * The exchange of a request that a server of our own has admitted already, before a framework saw it.
 * Not in a WeakMap: all that its values hold, here everything about a request, outlives the quick
 * collections of the garbage collector. They took six times as long, and a GET 15 percent more
 * (`benchmarks/rest/run.mjs listeners`, 2026-11-29).
 */
const admitted = Symbol("admitted");

interface MaybeAdmitted extends IncomingMessage {
  [admitted]?: NodeExchange;
}

/**
 * Opens the exchange for a request of `node:http`. Pass `originalUrl` if your framework does not
 * leave it on the request.
 */
export const openExchange = (
  gateway: Gateway,
  req: MaybeAdmitted,
  res: ServerResponse,
  originalUrl?: string,
): NodeExchange => {
  const known = req[admitted];
  if (known !== undefined && known.exchange.request.target === req.url) return known;
  const exchange = gateway.open(new NodeRequest(req, res, originalUrl));
  const opened: NodeExchange = { exchange, req, res, cutOff: undefined };
  if (known === undefined) return opened;
  takeOver(known, opened);
  req[admitted] = opened;
  return opened;
};

/**
 * A framework has mounted Postern below a path, so another path is asked for than the one that was
 * admitted. It is admitted again when it is answered.
 */
const takeOver = (known: NodeExchange, opened: NodeExchange): void => {
  opened.exchange.closes = known.exchange.closes;
  const placed = connectionOf(opened.req.socket).latest;
  if (placed?.nodeExchange === known) placed.nodeExchange = opened;
};

const isGone = ({ request }: Exchange): boolean => request.isGone === true;

type Send = (answer: HttpAnswer) => void;

/**
 * Gives a request its place on its connection, waits for its turn there, and has it admitted.
 * `undefined` if it is not to be answered any more: it was refused, its caller has gone, or a fault
 * was answered in its stead. A server calls it before a framework sees the request; `opened` is for
 * a request that comes from somebody else's server.
 */
export const beginExchange = async (
  gateway: Gateway,
  req: MaybeAdmitted,
  res: ServerResponse,
  opened?: NodeExchange,
  send?: Send,
): Promise<NodeExchange | undefined> => {
  const placed = placeRequest(gateway, req, res);
  if (placed.turn !== undefined) await placed.turn;
  placed.fault?.();
  if (placed.fault !== undefined || placed.refused === "too-late") return undefined;

  const nodeExchange = opened ?? openExchange(gateway, req, res);
  const { exchange } = nodeExchange;
  if (isGone(exchange)) {
    finish(gateway, nodeExchange, undefined, send);
    return undefined;
  }
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
    return undefined;
  }
  if (isGone(exchange)) {
    finish(gateway, nodeExchange, undefined, send);
    return undefined;
  }
  if (opened === undefined) req[admitted] = nodeExchange;
  return nodeExchange;
};

/**
 * Answers a request of `node:http`: finds the answer, hands it to `send`, and logs it. Nothing is
 * sent to a caller that has gone, or that the server has already answered on the connection itself.
 * By default the answer goes to the connection as it is. Never rejects.
 */
export const answerExchange = async (
  gateway: Gateway,
  nodeExchange: NodeExchange,
  send?: Send,
  find?: () => Promise<Answer>,
): Promise<void> => {
  const { exchange, res } = nodeExchange;
  const req: MaybeAdmitted = nodeExchange.req;
  if (req[admitted] === undefined && (await beginExchange(gateway, req, res, nodeExchange, send)) === undefined) return;
  finish(gateway, nodeExchange, await gateway.answer(exchange, find), send);
};

const finish = (gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer | undefined, send?: Send): void => {
  if (nodeExchange.cutOff === undefined && answer !== undefined) {
    if (send === undefined) sendAnswer(gateway, nodeExchange, answer);
    else send(answer);
  } else answer?.stream?.end();
  gateway.log(nodeExchange.exchange, nodeExchange.cutOff ?? answer);
};

const tooManyAtOnce = (): AppError =>
  new AppError("overloaded", {
    detail: `Too many requests were sent without waiting for answers; send at most 16 at once, and ${mostRequests} over one connection.`,
    headers: { "retry-after": "1" },
  });
