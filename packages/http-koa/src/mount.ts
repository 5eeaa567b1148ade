import type { App } from "@postern/core";
import type { Middleware } from "koa";
import { pathOf, targetOf, urlOf } from "./exchange.ts";
import { createGateway } from "./gateway.ts";
import { koaHandler } from "./koa-handler.ts";
import { createListener, type NodeListener } from "./listener.ts";
import type { HttpOptions } from "./options.ts";
import { isOurs } from "./pipeline.ts";

/**
 * Postern as middleware of your own Koa application: it answers `/api`, everything below it, `/health/live` and `/health/ready`, and calls `next` for
 * every other path. Put it before any body parser.
 * @throws TypeError for options that cannot work.
 */
export const koaMiddleware = (app: App, options: HttpOptions = {}): Middleware => {
  const handle = koaHandler(createGateway(app, options));
  return (ctx, next) => (isOurs(pathOf(targetOf(urlOf(ctx.req, ctx.originalUrl)))) ? handle(ctx) : next());
};

/**
 * Postern as a listener for `node:http`, Express (`server.use(nodeListener(app))`) or, through `reply.hijack()`, Fastify. Given a `next`, as Express
 * does, it calls that for every path that is not ours; without one it answers those, too. Put it before any body parser.
 * @throws TypeError for options that cannot work.
 */
export const nodeListener = (app: App, options: HttpOptions = {}): NodeListener =>
  createListener(createGateway(app, options));
