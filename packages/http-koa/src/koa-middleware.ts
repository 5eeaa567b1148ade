import { Router, type RouterContext } from "@koa/router";
import {
  createGateway,
  type Exchange,
  type Gateway,
  type HttpAnswer,
  type HttpApp,
  type HttpOptions,
} from "@postern/http";
import { answerTurn, leavesBodyUnread, openTurn, sendable, sendTurn, type Turn } from "@postern/http/node";
import type { Context, Middleware } from "koa";

type Answer = Awaited<ReturnType<Gateway["answerElsewhere"]>>;

/** What this middleware and its route handlers tell each other through `ctx.state`. */
interface State {
  postern: { readonly exchange: Exchange; answer?: Answer };
}

/**
 * Postern as middleware of your own Koa application. It answers `/api`, everything below it,
 * `/health/live` and `/health/ready`, or, with a base path, everything below that; it calls `next` for
 * every other path. Put it in front of any body parser. Below a path of koa-mount, that path stands in
 * front of all of Postern's.
 * @throws TypeError for options that cannot work.
 */
export const koaMiddleware = (app: HttpApp, options: HttpOptions = {}): Middleware =>
  gatewayMiddleware(createGateway(app, options));

/**
 * The same for a gateway that is shared with other adapters. With `alone` it answers every path and calls
 * `next` for none.
 */
export const gatewayMiddleware = (gateway: Gateway, { alone = false } = {}): Middleware => {
  const findRoutes = createRouters(gateway);
  return async (ctx, next) => {
    const turn = openTurn(gateway, ctx.req, ctx.res, ctx.originalUrl);
    const { exchange } = turn;
    if (!alone && !gateway.owns(exchange)) return next();
    // Koa sends nothing where there is nothing to send: the caller has gone.
    ctx.respond = false;
    await answerTurn(
      gateway,
      turn,
      (answer) => give(ctx, gateway, turn, answer),
      async () => {
        const state: State["postern"] = { exchange };
        if (exchange.path !== undefined) {
          ctx.state.postern = state;
          // The path as it was sent, below the root; Koa's own has been through `url.parse`.
          Object.assign(ctx, { newRouterPath: exchange.path });
          await findRoutes(exchange.path)(ctx as RouterContext<State>, nothing);
        }
        return state.answer ?? gateway.answerElsewhere(exchange);
      },
    );
  };
};

const nothing = () => Promise.resolve();

/** `/api/v2` of a path; empty for paths without a version. */
const versionOf = (path: string): string => /^\/api\/v\d+(?=\/|$)/.exec(path)?.[0] ?? "";

/**
 * Routers with a real handler for every path, one router for each API version: @koa/router compares a path
 * with every route it has, so fewer routes are faster. Of two routes that fit, the one with fewer
 * parameters is taken (`/sessions/refresh` before `/sessions/:id`).
 */
const createRouters = (gateway: Gateway) => {
  const routers = new Map<string, Router<State>>();
  const routerFor = (version: string): Router<State> => {
    const router =
      routers.get(version) ?? new Router<State>({ strict: true, sensitive: true, exclusive: "specificity" });
    routers.set(version, router);
    return router;
  };
  for (const place of gateway.places) {
    routerFor(versionOf(place.path)).all(place.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (ctx) => {
      const { postern } = ctx.state;
      postern.answer = await place.answer(postern.exchange, ctx.params);
    });
  }
  const middleware = new Map([...routers].map(([version, router]) => [version, router.routes()]));
  return (path: string) => middleware.get(versionOf(path)) ?? nothing;
};

/** Puts an answer into Koa's response, where middleware around this one sees it as any other. */
export const give = (ctx: Context, gateway: Gateway, turn: Turn, answer: HttpAnswer): void => {
  // Koa would close the connection at once, and a caller that is still sending might lose the answer.
  if (leavesBodyUnread(ctx.req, answer)) {
    sendTurn(gateway, turn, answer);
    return;
  }
  const { status, headers, body } = sendable(gateway, turn, answer);
  ctx.respond = true;
  ctx.status = status;
  ctx.set(headers);
  if (body !== undefined) ctx.body = body;
};
