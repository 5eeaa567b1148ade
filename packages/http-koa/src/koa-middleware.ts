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

/** What this middleware and its route handlers tell each other through `ctx.state`. */
interface State {
  postern: { readonly exchange: Exchange; answer: Answer | undefined };
}

/**
 * Postern as middleware of your own Koa application. It answers `/api`, everything below it,
 * `/health/live` and `/health/ready`, or, with a base path, everything below that; it calls `next`
 * for every other path. Put it in front of any body parser. Below a path of koa-mount, that path
 * stands in front of all of Postern's.
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
      (answer) => give(ctx, gateway, nodeExchange, answer),
      async () => {
        const state: State["postern"] = { exchange, answer: undefined };
        if (exchange.path !== undefined) {
          ctx.state.postern = state;
          // The path as it was sent, below the root; Koa's own has been through `url.parse`.
          (ctx as RouterContext<State>).newRouterPath = exchange.path;
          await findRoutes(exchange.path)(ctx as RouterContext<State>, nothing);
        }
        const { answer } = state;
        // Koa keeps the state until the caller has read everything; the answer's rows need not stay.
        state.answer = undefined;
        return answer ?? gateway.answerElsewhere(exchange);
      },
    );
  };
};

const nothing = () => Promise.resolve();

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
    router.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), async (ctx) => {
      const { postern } = ctx.state;
      if (form) postern.exchange.formReader = () => readForm(ctx, postern.exchange.network);
      postern.answer = await answer(postern.exchange, ctx.params);
    });
  }
  const middleware = new Map([...routers].map(([key, router]) => [key, router.routes()]));
  return (path: string) => middleware.get(keyOf(path)) ?? nothing;
};

/** Puts an answer into Koa's response, where middleware around this one sees it as any other. */
export const give = (ctx: Context, gateway: Gateway, nodeExchange: NodeExchange, answer: HttpAnswer): void => {
  // Koa would close the connection at once, and a caller that is still sending might lose the
  // answer.
  if (leavesBodyUnread(ctx.req, answer)) {
    sendAnswer(gateway, nodeExchange, answer);
    return;
  }
  const { status, headers, body } = sendable(gateway, nodeExchange, answer);
  ctx.respond = true;
  ctx.status = status;
  // `ctx.set` does the same by a longer way, which is a good part of what Koa costs a small answer.
  for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
  if (body === undefined) return;
  // Koa knows bytes as a `Buffer` only, and would write any other array as JSON.
  ctx.body = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body;
  // Koa calls every text `text/plain`, also one without a byte.
  if (body === "") ctx.remove("Content-Type");
};
