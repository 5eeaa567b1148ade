import type { RequestListener } from "node:http";
import type { Gateway } from "@postern/http";
import Koa from "koa";
import { gatewayMiddleware } from "./koa-middleware.ts";

/**
 * A Koa application with nothing in it but Postern, as a listener for `createGatewayServer`. It
 * answers every path.
 */
export const koaListener = (gateway: Gateway): RequestListener => {
  const koa = new Koa();
  koa.use(gatewayMiddleware(gateway, { alone: true }));
  // Koa reports answers that could not be delivered because the caller was gone. Nothing is to be
  // done about them.
  koa.on("error", (error: Error) => {
    gateway.settings.telemetry.log("debug", "answer not delivered", { reason: error.name });
  });
  return koa.callback();
};
