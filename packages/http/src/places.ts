import { AppError } from "@postern/core";
import { newestOf } from "@postern/rest";
import { answerOperation } from "./answer-operation.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import type { Answer } from "./http-app.ts";
import { answerRead } from "./methods.ts";
import { receiveWebhook } from "./receive-webhook.ts";
import { type ApiRoute, routesOf } from "./routes.ts";

/** One path that Postern answers, for routers. */
export interface Place {
  /** The path below the root, with parameters in braces: `/api/v2/posts/{id}`. */
  readonly path: string;
  /** True where it takes webhooks. */
  readonly inbox: boolean;
  /**
   * Answers a request that came to this path. Head and method have been checked already.
   * @throws AppError for whatever stands in the way; CallerGone.
   */
  answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<Answer>;
}

export const isApiPath = (path: string): boolean => path === "/api" || path.startsWith("/api/");

const live = "/health/live";
const ready = "/health/ready";

export const isHealthPath = (path: string): boolean => path === live || path === ready;

/** Everything that has a path: the operations of every version, the inbox, health, and the index. */
export const placesOf = (gateway: Gateway): readonly Place[] => [
  ...routesOf(gateway.app.versions, gateway.defaultVersion).map((route) => apiPlace(gateway, route)),
  { path: live, inbox: false, answer: (exchange) => answerHealth(gateway, exchange, live) },
  { path: ready, inbox: false, answer: (exchange) => answerHealth(gateway, exchange, ready) },
  { path: "/", inbox: false, answer: (exchange) => answerIndex(gateway, exchange) },
];

const apiPlace = (gateway: Gateway, route: ApiRoute): Place => ({
  path: route.path,
  inbox: route.inbox,
  answer: async (exchange, params) => {
    exchange.version = route.version;
    // One spelling for each address: no name or id of the API has a character that needs to be encoded.
    if (!route.inbox && exchange.path?.includes("%") === true) throw nothingThere();
    exchange.route = route.template;
    return route.inbox
      ? receiveWebhook(gateway, exchange, route)
      : gateway.overload.answer(exchange.network, (slot) =>
          answerOperation(gateway, exchange, { route, params, slot }),
        );
  },
});

/** Whether the process lives, and whether it should get requests. Strangers may ask, so it says no more. */
const answerHealth = (gateway: Gateway, exchange: Exchange, path: string): Promise<Answer> => {
  exchange.route = path;
  return answerRead(exchange.request.method, async () => {
    const ok = path === live || (await gateway.readiness.check());
    return {
      status: ok ? 200 : 503,
      headers: { "cache-control": "no-store" },
      body: { status: ok ? "ok" : "unavailable" },
    };
  });
};

const answerIndex = ({ app }: Gateway, exchange: Exchange): Promise<Answer> => {
  exchange.route = "/";
  const { root } = exchange;
  return answerRead(exchange.request.method, () => ({
    status: 200,
    body: {
      api: `${root}/api`,
      docs: `${root}/api/${newestOf(app.versions).id}/docs`,
      health: `${root}/health/ready`,
    },
  }));
};

export const nothingThere = (): AppError =>
  new AppError("route_not_found", { detail: "There is nothing at this path; GET /api says where to look." });
