import type { RequestListener } from "node:http";
import { Router, type RouterContext } from "@koa/router";
import {
  createGateway,
  type Exchange,
  type Gateway,
  type HttpAnswer,
  type HttpApp,
  type HttpOptions,
} from "@postern/http";
import { formLimitBytes } from "@postern/http/internal";
import {
  answerExchange,
  leavesBodyUnread,
  type NodeExchange,
  openExchange,
  sendAnswer,
  sendable,
} from "@postern/http/node";
import Koa, { type Context, type Middleware } from "koa";
import { formReader } from "./form-reader.ts";

/**
 * Makes Postern a middleware of your own Koa application. It answers `/api`, everything below it,
 * `/health/live` and `/health/ready`. With a base path it answers everything below that. It calls
 * `next` for every other path. Put it in front of any body parser. If you mount it below a path
 * with koa-mount, that path comes before all paths of Postern.
 * @throws TypeError for options that cannot work.
 */
export const koaMiddleware = (app: HttpApp, options: HttpOptions = {}): Middleware =>
  gatewayMiddleware(createGateway(app, options));

/**
 * Like `koaMiddleware`, for a gateway that other adapters share. With `alone` it answers every path
 * and never calls `next`.
 */
export const gatewayMiddleware = (gateway: Gateway, { alone = false } = {}): Middleware => {
  const routes = createRoutes(gateway);
  return (ctx, next) => {
    const nodeExchange = openExchange(gateway, ctx.req, ctx.res, ctx.originalUrl);
    const { exchange } = nodeExchange;
    if (!alone && !gateway.owns(exchange)) return next();
    // If the caller goes away, there is no answer, and Koa must not send one of its own.
    ctx.respond = false;
    return answerExchange(
      gateway,
      nodeExchange,
      (answer) => give(ctx, gateway, nodeExchange, answer),
      () => {
        const elsewhere = () => gateway.answerElsewhere(exchange);
        if (exchange.path === undefined) return elsewhere();
        ctx.state.postern = exchange;
        const routed = ctx as RouterContext;
        // The path as it was sent, below the root. Koa's own path has been through `url.parse`.
        routed.newRouterPath = exchange.path;
        // The router returns what its handler or `elsewhere` returned.
        return routes(routed, exchange.path, elsewhere);
      },
    );
  };
};

/**
 * Makes a Koa application that holds only Postern, as a listener for `createGatewayServer`. It
 * answers every path.
 */
export const koaListener = (gateway: Gateway): RequestListener => {
  const koa = new Koa();
  koa.use(gatewayMiddleware(gateway, { alone: true }));
  // Koa reports answers that it could not deliver because the caller was gone. You need not act on
  // them.
  koa.on("error", (error: Error) => {
    gateway.settings.telemetry.log("debug", "answer not delivered", { reason: error.name });
  });
  return koa.callback();
};

/**
 * The routes of every path. If two fit, the one with fewer parameters wins (`/sessions/refresh`
 * before `/sessions/:id`). A router tries all of its routes for each request. With one router for all
 * 271, a GET took a fifth longer (`benchmarks/rest/run.mjs listeners`, 2026-11-29), so the paths that
 * begin in the same way have one of their own, and those that begin with a parameter have another.
 */
const createRoutes = (gateway: Gateway) => {
  const { endpoints } = gateway;
  const readForm = endpoints.some(({ form }) => form === true) ? formReader(gateway) : undefined;
  const routers = new Map<string, Router>();
  for (const { path, form = false, answer } of endpoints) {
    const begin = beginOf(path);
    const of = begin.includes("{") ? "" : begin;
    const router = routers.get(of) ?? new Router({ strict: true, sensitive: true, exclusive: "specificity" });
    routers.set(of, router);
    router.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), (ctx) => {
      const exchange: Exchange = ctx.state.postern;
      if (form && readForm !== undefined) exchange.formReader = () => readForm(ctx, exchange.network);
      return answer(exchange, ctx.params);
    });
  }
  const routes = new Map([...routers].map(([of, router]) => [of, router.routes()]));
  const others = routes.get("");
  return <One>(ctx: RouterContext, path: string, elsewhere: () => Promise<One>): Promise<One> => {
    const answerOther = () => (others === undefined ? elsewhere() : others(ctx, elsewhere));
    const own = routes.get(beginOf(path));
    return own === undefined ? answerOther() : own(ctx, answerOther);
  };
};

/** Such as `/api/v2/posts`. */
const beginOf = (path: string): string => path.split("/", 4).join("/");

/**
 * Puts an answer into Koa's response. Middleware around this one sees it like any other answer and
 * may add to it.
 */
const give = (ctx: Context, gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer): void => {
  // With a body that was not read, Koa would close the connection at once, and a caller that is still
  // sending might lose the answer.
  if (leavesBodyUnread(ctx.req, answer)) {
    sendAnswer(gateway, nodeExchange, answer);
    return;
  }
  const { status, headers, body } = sendable(gateway, nodeExchange, answer);
  ctx.respond = true;
  ctx.status = status;
  ctx.set(headers);
  if (body === undefined) return;
  // Koa accepts bytes only as a `Buffer`. It would write any other array as JSON.
  ctx.body = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body;
  // Koa sets `text/plain` for every text, even an empty one.
  if (body === "") ctx.remove("Content-Type");
};

/**
 * Makes middleware that reads a form (`application/x-www-form-urlencoded`) into `ctx.request.body`,
 * an object of texts. It is for routes that get forms from OAuth clients and browsers.
 *
 * koa-body reads the form. It never sees a compressed body, another media type, or a body that
 * announces more than the limit, because it inflates what it gets and leaves unknown types unread.
 * Its errors contain the text of the body, so none is passed on.
 *
 * The answer to a wrong form is a problem: 413 if it is too long, 415 for another media type, 503
 * if the network reads too much at once, otherwise 400. A field that occurs twice and more than 100
 * fields are wrong, too. `limitBytes` is 64 KiB by default.
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
