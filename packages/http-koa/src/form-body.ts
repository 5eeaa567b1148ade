import { formLimitBytes, type Gateway } from "@postern/http";
import { openExchange } from "@postern/http/node";
import type { Middleware } from "koa";
import { formReader } from "./form-reader.ts";
import { give } from "./koa-middleware.ts";

/**
 * Reads a form (`application/x-www-form-urlencoded`) into `ctx.request.body`, an object of texts,
 * for routes that OAuth and browsers send forms to. koa-body reads it on the real request. It
 * never sees a compressed body, another media type, or a body that announces more than the limit,
 * because it inflates what it gets and leaves unknown types unread. Its errors carry the text of
 * the body, so none is passed on. Whatever is wrong is answered as a problem: 413, 415, or 400,
 * also for a field that is given more than once and for more than 100 fields.
 * `limitBytes` is 64 KiB by default.
 */
export const formBody = (gateway: Gateway, { limitBytes = formLimitBytes } = {}): Middleware => {
  const read = formReader(gateway, limitBytes);
  return async (ctx, next) => {
    const nodeExchange = openExchange(gateway, ctx.req, ctx.res, ctx.originalUrl);
    try {
      ctx.request.body = Object.fromEntries(await read(ctx, nodeExchange.exchange.network));
    } catch (thrown) {
      ctx.respond = false;
      give(ctx, gateway, nodeExchange, gateway.answerFault(thrown, nodeExchange.exchange));
      return;
    }
    await next();
  };
};
