import type { IncomingMessage, ServerResponse } from "node:http";
import Koa from "koa";
import { openExchange, pathOf, targetOf, urlOf } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { koaHandler, sendPastKoa } from "./koa-handler.ts";
import { isOurs, serve } from "./pipeline.ts";
import { receiveWebhook } from "./receive-webhook.ts";
import { sendDirectly } from "./send.ts";

/** Resolves when the answer is handed to the connection; never rejects. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse, next?: () => void) => Promise<void>;

/**
 * The way of every request of `node:http`. Webhooks go straight to the inbox; everything else goes through Koa. Where there is a `next`, it gets the
 * paths that are not ours.
 */
export const createListener = (gateway: Gateway): NodeListener => {
  const koa = new Koa();
  koa.use(koaHandler(gateway, sendPastKoa));
  // Answers that could not be delivered because the caller was gone; there is nothing to be done about them.
  koa.on("error", (error: Error) => {
    gateway.settings.telemetry.log("debug", "answer not delivered", { reason: error.name });
  });
  const throughKoa = koa.callback();

  return async (req, res, next) => {
    const url = urlOf(req);
    const path = pathOf(targetOf(url));
    if (next !== undefined && !isOurs(path)) return next();
    const webhook = gateway.findWebhook(path);
    if (webhook === undefined) return throughKoa(req, res);
    const exchange = openExchange(gateway.settings.requestId, url, req, res);
    return serve(
      gateway,
      exchange,
      () => receiveWebhook(gateway, exchange, webhook),
      (answer) => sendDirectly(exchange, answer),
    );
  };
};
