import type { Context } from "koa";
import { openExchange, urlOf } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { answerRequest, serve } from "./pipeline.ts";
import { receiveWebhook } from "./receive-webhook.ts";
import { sendThroughKoa } from "./send.ts";

/** Answers every request of a Koa application. */
export const koaHandler =
  (gateway: Gateway) =>
  (ctx: Context): Promise<void> => {
    const exchange = openExchange(gateway.settings.requestId, urlOf(ctx.req, ctx.originalUrl), ctx.req, ctx.res);
    const webhook = gateway.findWebhook(exchange.path);
    return serve(
      gateway,
      exchange,
      () =>
        webhook === undefined ? answerRequest(gateway, exchange, ctx) : receiveWebhook(gateway, exchange, webhook),
      (answer) => sendThroughKoa(ctx, exchange, answer),
    );
  };
