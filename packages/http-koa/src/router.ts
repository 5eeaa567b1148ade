import { Router } from "@koa/router";
import { type ApiVersion, AppError, versionOf } from "@postern/core";
import type { Context } from "koa";
import type { Exchange } from "./exchange.ts";
import type { Route } from "./routes.ts";

/** The route of a request and what its path says. */
export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** What a route leaves behind when the router has chosen it. */
type Found = { found?: FoundRoute };

const versionSegment = /^\/api\/(v\d+)(?=\/|$)/;

/**
 * Puts the routes into a Koa router for each version, so that a request is compared with its own version's paths only. Of two paths that fit the one
 * with fewer parameters is taken (`/sessions/refresh` before `/sessions/{id}`), so an entry's place in the table does not matter.
 */
export const createApiRouter = (
  routes: readonly Route[],
  versions: readonly ApiVersion[],
  defaultVersion: ApiVersion,
) => {
  const routers = new Map<string, ReturnType<Router["routes"]>>();
  for (const base of new Set(routes.map((route) => route.base))) {
    const router = new Router({ strict: true, sensitive: true, exclusive: "specificity" });
    for (const route of routes.filter((candidate) => candidate.base === base)) {
      router.all(route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (ctx) => {
        const left: Found = ctx.state;
        left.found = { route, params: ctx.params };
      });
    }
    routers.set(base, router.routes());
  }

  /**
   * Finds the route of a path below `/api` and notes version and template in the exchange.
   * @throws AppError `route_not_found`, `unknown_version`.
   */
  return async (exchange: Exchange, ctx: Context): Promise<FoundRoute> => {
    exchange.version = defaultVersion;
    const segment = versionSegment.exec(exchange.path)?.[1];
    if (segment !== undefined) exchange.version = versionOf(versions, segment);
    const left: Found = {};
    // A context of its own, so that a router around this one finds its parameters and its state as they were.
    const routed = Object.create(ctx, {
      state: { value: left },
      params: { value: {}, writable: true },
      matched: { value: undefined, writable: true },
      // Without it the router parses the URL anew, with `url.parse`, which throws on some.
      newRouterPath: { value: exchange.path },
    });
    await routers.get(segment === undefined ? "/api" : `/api/${segment}`)?.(routed, nowhere);
    // One spelling for each address: no name or id here has a character that needs to be encoded.
    if (left.found === undefined || exchange.path.includes("%")) {
      throw new AppError("route_not_found", { detail: "There is nothing at this path; GET /api says where to look." });
    }
    exchange.route = left.found.route.template;
    return left.found;
  };
};

const nowhere = () => Promise.resolve();
