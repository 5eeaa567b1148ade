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

/** What almost every parameter of a path is. No template holds one. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Puts the routes into a Koa router for each version, so that a request is compared with its own version's paths only. Of two paths that fit the one
 * with fewer parameters is taken (`/sessions/refresh` before `/sessions/{id}`), so an entry's place in the table does not matter.
 *
 * The router compares a path with every template. Where all parameters are UUIDs its choice depends on the rest of the path alone, and is remembered:
 * that makes one entry for each template at the most.
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

  /** Asks the router of a version, in a context of its own, so that a router around this one finds its parameters and its state as they were. */
  const ask = async (base: string, path: string, ctx: Context): Promise<FoundRoute | undefined> => {
    const left: Found = {};
    const routed = Object.create(ctx, {
      state: { value: left },
      params: { value: {}, writable: true },
      matched: { value: undefined, writable: true },
      // Without it the router parses the URL anew, with `url.parse`, which throws on some.
      newRouterPath: { value: path },
    });
    await routers.get(base)?.(routed, nowhere);
    // One spelling for each address: no name or id here has a character that needs to be encoded.
    return path.includes("%") ? undefined : left.found;
  };

  const known = new Map<string, { readonly route: Route; readonly names: readonly string[] }>();

  const remember = (shape: string, ids: readonly string[], { route, params }: FoundRoute): void => {
    const values = Object.values(params);
    if (values.length === ids.length && values.every((value, index) => value === ids[index])) {
      known.set(shape, { route, names: Object.keys(params) });
    }
  };

  /**
   * Finds the route of a path below `/api` and notes version and template in the exchange.
   * @throws AppError `route_not_found`, `unknown_version`.
   */
  return async (exchange: Exchange, ctx: Context): Promise<FoundRoute> => {
    const { path } = exchange;
    const ids = path.match(uuid) ?? [];
    const shape = path.replaceAll(uuid, " ");
    const before = known.get(shape);
    if (before !== undefined && before.names.length === ids.length) {
      exchange.version = before.route.version;
      exchange.route = before.route.template;
      return {
        route: before.route,
        params: Object.fromEntries(before.names.map((name, index) => [name, ids[index] ?? ""])),
      };
    }
    exchange.version = defaultVersion;
    const segment = versionSegment.exec(path)?.[1];
    if (segment !== undefined) exchange.version = versionOf(versions, segment);
    const found = await ask(segment === undefined ? "/api" : `/api/${segment}`, path, ctx);
    if (found === undefined) {
      throw new AppError("route_not_found", { detail: "There is nothing at this path; GET /api says where to look." });
    }
    exchange.route = found.route.template;
    remember(shape, ids, found);
    return found;
  };
};

const nowhere = () => Promise.resolve();
