import type { Context } from "koa";
import { type Exchange, openExchange, urlOf } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { answerRequest, serve } from "./pipeline.ts";
import { receiveWebhook } from "./receive-webhook.ts";
import type { Rendered } from "./render.ts";
import { sendDirectly, sendThroughKoa } from "./send.ts";

/** How an answer leaves a Koa application. */
type Send = (ctx: Context, exchange: Exchange, answer: Rendered) => void;

/** Where no other middleware is around ours, nobody needs to find the answer in the context, and Koa need not look what it is. */
export const sendPastKoa: Send = (ctx, exchange, answer) => {
  ctx.respond = false;
  sendDirectly(exchange, answer);
};

/** Answers every request of a Koa application. */
export const koaHandler =
  (gateway: Gateway, send: Send = sendThroughKoa) =>
  (ctx: Context): Promise<void> => {
    const exchange = openExchange(gateway.settings.requestId, urlOf(ctx.req, ctx.originalUrl), ctx.req, ctx.res);
    const webhook = gateway.findWebhook(exchange.path);
    return serve(
      gateway,
      exchange,
      () =>
        webhook === undefined ? answerRequest(gateway, exchange, ctx) : receiveWebhook(gateway, exchange, webhook),
      (answer) => send(ctx, exchange, answer),
    );
  };
