import type { RequestListener } from "node:http";
import { Router, type RouterContext } from "@koa/router";
import {
  createGateway,
  type Exchange,
  formLimitBytes,
  type Gateway,
  type HttpAnswer,
  type HttpApp,
  type HttpOptions,
} from "@postern/http";
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
 * Postern as middleware of your own Koa application. It answers `/api`, everything below it,
 * `/health/live` and `/health/ready`, or, with a base path, everything below that; it calls `next`
 * for every other path. Put it in front of any body parser. If koa-mount mounts it below a path, that
 * path comes before all paths of Postern.
 * @throws TypeError for options that cannot work.
 */
export const koaMiddleware = (app: HttpApp, options: HttpOptions = {}): Middleware =>
  gatewayMiddleware(createGateway(app, options));

/**
 * The same for a gateway that is shared with other adapters. With `alone` it answers every path and
 * calls `next` for none.
 */
export const gatewayMiddleware = (gateway: Gateway, { alone = false } = {}): Middleware => {
  const routesFor = createRouters(gateway);
  return (ctx, next) => {
    const nodeExchange = openExchange(gateway, ctx.req, ctx.res, ctx.originalUrl);
    const { exchange } = nodeExchange;
    if (!alone && !gateway.owns(exchange)) return next();
    // Koa sends nothing where there is nothing to send: the caller has gone.
    ctx.respond = false;
    return answerExchange(
      gateway,
      nodeExchange,
      (answer) => give(ctx, gateway, nodeExchange, answer, alone),
      () => {
        const elsewhere = () => gateway.answerElsewhere(exchange);
        const path = exchange.path ?? "";
        const routes = routesFor(path);
        if (routes === undefined) return elsewhere();
        ctx.state.postern = exchange;
        const routed = ctx as RouterContext;
        // The path as it was sent, below the root; Koa's own has been through `url.parse`.
        routed.newRouterPath = path;
        // A router gives back what its handler or `elsewhere` gave back.
        return routes(routed, elsewhere);
      },
    );
  };
};

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

/** `/api/v2/posts` of `/api/v2/posts/1`; empty for paths that are not below `/api`. */
const areaOf = (path: string): string => /^\/api(?:\/v\d+(?=\/|$))?(?:\/[^/]+)?/.exec(path)?.[0] ?? "";

/**
 * Routers with a real handler for every path, one router for each kind of thing and number of
 * segments in each API version: @koa/router compares a path with every route it has, so fewer routes
 * are faster. Of two routes that fit, the one with fewer parameters is taken (`/sessions/refresh`
 * before `/sessions/:id`).
 */
const createRouters = (gateway: Gateway) => {
  const { endpoints } = gateway;
  const readForm = formReader(gateway);
  // A path that begins with a parameter fits any area.
  const hasAreas = endpoints.every(({ path }) => !areaOf(path).includes("{"));
  const keyOf = (path: string) => `${hasAreas ? areaOf(path) : ""} ${path.split("/").length}`;
  const routers = new Map<string, Router>();
  for (const { path, form = false, answer } of endpoints) {
    const key = keyOf(path);
    const router = routers.get(key) ?? new Router({ strict: true, sensitive: true, exclusive: "specificity" });
    routers.set(key, router);
    router.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), (ctx) => {
      const exchange: Exchange = ctx.state.postern;
      if (form) exchange.formReader = () => readForm(ctx, exchange.network);
      return answer(exchange, ctx.params);
    });
  }
  const routes = new Map([...routers].map(([key, router]) => [key, router.routes()]));
  return (path: string) => routes.get(keyOf(path));
};

/**
 * Puts an answer into Koa's response, where middleware around this one sees it as any other and may
 * add to it. `alone` says that there is none around it.
 */
const give = (ctx: Context, gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer, alone = false): void => {
  // Koa would close the connection at once, and a caller that is still sending might lose the
  // answer.
  if (leavesBodyUnread(ctx.req, answer)) {
    sendAnswer(gateway, nodeExchange, answer);
    return;
  }
  const { status, headers, body } = sendable(gateway, nodeExchange, answer);
  ctx.respond = true;
  if (alone) {
    // Nobody changes the headers any more. Setting them one by one takes about a fifth of what Koa
    // costs a small answer.
    ctx.res.writeHead(status, headers);
  } else {
    ctx.status = status;
    ctx.set(headers);
  }
  if (body === undefined) return;
  // Koa knows bytes as a `Buffer` only, and would write any other array as JSON.
  ctx.body = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body;
  // Koa calls every text `text/plain`, also one without a byte.
  if (body === "") ctx.remove("Content-Type");
};

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
