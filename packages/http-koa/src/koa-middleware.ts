import { Router, type RouterContext } from "@koa/router";
import {
  createGateway,
  type Exchange,
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
import type { Context, Middleware } from "koa";
import { formReader } from "./form-reader.ts";

type Answer = Awaited<ReturnType<Gateway["answerElsewhere"]>>;

/** What this middleware tells its route handlers through `ctx.state`. */
interface State {
  postern: Exchange;
}

/** Finds the answer among the routes, or in `elsewhere` when no route fits. */
type Route = (ctx: RouterContext<State>, elsewhere: () => Promise<Answer>) => Promise<Answer>;

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
  const findRoutes = createRouters(gateway);
  return async (ctx, next) => {
    const nodeExchange = openExchange(gateway, ctx.req, ctx.res, ctx.originalUrl);
    const { exchange } = nodeExchange;
    if (!alone && !gateway.owns(exchange)) return next();
    // Koa sends nothing where there is nothing to send: the caller has gone.
    ctx.respond = false;
    await answerExchange(
      gateway,
      nodeExchange,
      (answer) => give(ctx, gateway, nodeExchange, answer, { alone }),
      () => {
        const elsewhere = () => gateway.answerElsewhere(exchange);
        if (exchange.path === undefined) return elsewhere();
        ctx.state.postern = exchange;
        // The path as it was sent, below the root; Koa's own has been through `url.parse`.
        (ctx as RouterContext<State>).newRouterPath = exchange.path;
        return findRoutes(exchange.path)(ctx as RouterContext<State>, elsewhere);
      },
    );
  };
};

const noRoutes: Route = (_ctx, elsewhere) => elsewhere();

/** `/api/v2/posts` of `/api/v2/posts/1`; empty for paths that are not below `/api`. */
const areaOf = (path: string): string => /^\/api(?:\/v\d+(?=\/|$))?(?:\/[^/]+)?/.exec(path)?.[0] ?? "";
/** `/api/v2` of the same. */
const versionOf = (path: string): string => /^\/api\/v\d+(?=\/|$)/.exec(path)?.[0] ?? "";

const slashesIn = (path: string): number => {
  let count = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) count += 1;
  return count;
};

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
  const placeOf = endpoints.some(({ path }) => areaOf(path).includes("{")) ? versionOf : areaOf;
  const keyOf = (path: string) => `${placeOf(path)} ${slashesIn(path)}`;
  const routers = new Map<string, Router<State>>();
  for (const { path, form = false, answer } of endpoints) {
    const key = keyOf(path);
    const router = routers.get(key) ?? new Router<State>({ strict: true, sensitive: true, exclusive: "specificity" });
    routers.set(key, router);
    router.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), (ctx) => {
      const { postern: exchange } = ctx.state;
      if (form) exchange.formReader = () => readForm(ctx, exchange.network);
      return answer(exchange, ctx.params);
    });
  }
  // A router gives back what its handler gave back, which its type does not say.
  const routes = new Map([...routers].map(([key, router]) => [key, router.routes() as Route]));
  return (path: string) => routes.get(keyOf(path)) ?? noRoutes;
};

/**
 * Puts an answer into Koa's response, where middleware around this one sees it as any other and may
 * add to it. `alone` says that there is none around it.
 */
export const give = (
  ctx: Context,
  gateway: Gateway,
  nodeExchange: NodeExchange,
  answer: HttpAnswer,
  { alone = false } = {},
): void => {
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
    // `ctx.set` does the same by a longer way, and `Object.entries` would make an array for each
    // header.
    for (const name in headers) ctx.res.setHeader(name, headers[name] ?? "");
  }
  if (body === undefined) return;
  // Koa knows bytes as a `Buffer` only, and would write any other array as JSON.
  ctx.body = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body;
  // Koa calls every text `text/plain`, also one without a byte.
  if (body === "") ctx.remove("Content-Type");
};
