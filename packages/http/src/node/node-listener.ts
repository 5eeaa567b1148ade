import type { IncomingMessage, ServerResponse } from "node:http";
import { createGateway, type Gateway } from "../gateway.ts";
import type { HttpApp } from "../http-app.ts";
import type { HttpOptions } from "../options.ts";
import { answerExchange, openExchange } from "./node-exchange.ts";

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
