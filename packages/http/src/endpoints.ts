import { AppError } from "@postern/core";
import { answerOperation } from "./answer/answer-operation.ts";
import { answerRooted } from "./answer/answer-rooted.ts";
import { receiveWebhook } from "./answer/receive-webhook.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { preferredType } from "./head/accepted-type.ts";
import { checkLists } from "./head/headers.ts";
import { answerRead } from "./head/methods.ts";
import type { Answer } from "./http-app.ts";
import { type ApiRoute, routesOf } from "./routes.ts";

/** One path that Postern answers, for routers. */
export interface Endpoint {
  /** The path below the root, with parameters in braces: `/api/v2/posts/{id}`. */
  readonly path: string;
  /** True if it takes webhooks. */
  readonly inbox: boolean;
  /** True if it may take a form. */
  readonly form?: boolean;
  /**
   * Answers a request that came to this path. Head and method have been checked already.
   * @throws AppError when the request is refused; CallerGone when its caller went away.
   */
  answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<Answer>;
}

export const isApiPath = (path: string): boolean => path === "/api" || path.startsWith("/api/");

const live = "/health/live";
const ready = "/health/ready";

export const isHealthPath = (path: string): boolean => path === live || path === ready;

/**
 * All endpoints: the operations of every version, the inbox, the endpoints outside `/api`, health,
 * and the index.
 */
export const endpointsOf = (parts: GatewayParts): readonly Endpoint[] => [
  ...routesOf(parts.app.versions, parts.defaultVersion).map((route) => apiEndpoint(parts, route)),
  ...(parts.app.rooted ?? []).map((endpoint) => ({
    path: endpoint.path,
    inbox: false,
    form: endpoint.methods.includes("POST"),
    answer: (exchange: Exchange) => answerRooted(parts, exchange, endpoint),
  })),
  { path: live, inbox: false, answer: (exchange) => answerHealth(parts, exchange, live) },
  { path: ready, inbox: false, answer: (exchange) => answerHealth(parts, exchange, ready) },
  { path: "/", inbox: false, answer: (exchange) => answerIndex(exchange) },
];

const apiEndpoint = (parts: GatewayParts, route: ApiRoute): Endpoint => ({
  path: route.path,
  inbox: route.inbox,
  answer: (exchange, params) => {
    exchange.version = route.version;
    // No name or id of the API has a character that needs to be encoded, and the others have been
    // decoded.
    if (!route.inbox && exchange.path?.includes("%") === true) throw nothingThere();
    exchange.route = route.template;
    return route.inbox ? receiveWebhook(parts, exchange, route) : answerOperation(parts, exchange, route, params);
  },
});

/**
 * Tells whether the process is alive, and whether it should get requests. Strangers may ask, so it
 * tells nothing else.
 */
const answerHealth = (parts: GatewayParts, exchange: Exchange, path: string): Promise<Answer> => {
  exchange.route = path;
  return answerRead(exchange.request.method, async () => {
    const ok = path === live || (await parts.readiness.check());
    return {
      status: ok ? 200 : 503,
      headers: { "cache-control": "no-store" },
      body: { status: ok ? "ok" : "unavailable" },
    };
  });
};

/** Tells programs where everything is, and leads browsers to the documentation. */
const answerIndex = (exchange: Exchange): Promise<Answer> => {
  exchange.route = "/";
  const { root, request } = exchange;
  const docs = `${root}/api/docs`;
  const vary = "Accept";
  return answerRead(request.method, () => {
    checkLists(request);
    return preferredType(["application/json", "text/html"], request) === "text/html"
      ? { status: 302, headers: { vary, location: docs } }
      : { status: 200, headers: { vary }, body: { api: `${root}/api`, docs, health: `${root}/health/ready` } };
  });
};

export const nothingThere = (): AppError =>
  new AppError("route_not_found", { detail: "There is nothing at this path; GET /api says where to look." });
