import type { IncomingMessage, ServerResponse } from "node:http";
import { createGateway, type Gateway } from "../gateway.ts";
import type { HttpApp } from "../http-app.ts";
import type { HttpOptions } from "../options.ts";
import { sendTurn } from "./send.ts";
import { answerTurn, openTurn } from "./turns.ts";

/** Resolves when the answer is handed to the connection; never rejects. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse, next?: () => void) => Promise<void>;

/**
 * Postern as a listener for `node:http`, Express (`server.use(nodeListener(app))`) or, in an `onRequest`
 * hook, Fastify. Given a `next`, as Express does, it calls that for every path that is not Postern's;
 * without one it answers those, too. Put it in front of any body parser. Where a framework mounts it below
 * a path, as `use("/x", …)` does, that path stands in front of all of Postern's.
 * @throws TypeError for options that cannot work.
 */
export const nodeListener = (app: HttpApp, options: HttpOptions = {}): NodeListener =>
  gatewayListener(createGateway(app, options));

/** The same for a gateway that is shared with other adapters. */
export const gatewayListener =
  (gateway: Gateway): NodeListener =>
  async (req, res, next) => {
    const turn = openTurn(gateway, req, res);
    if (next !== undefined && !gateway.owns(turn.exchange)) return next();
    return answerTurn(gateway, turn, (answer) => sendTurn(gateway, turn, answer));
  };
