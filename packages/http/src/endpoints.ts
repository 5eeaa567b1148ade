import { operationAnswer } from "./answer/answer-operation.ts";
import { answerRooted } from "./answer/answer-rooted.ts";
import { webhookAnswer } from "./answer/receive-webhook.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { acceptedType } from "./head/accept.ts";
import { checkLists } from "./head/headers.ts";
import { answerRead } from "./head/methods.ts";
import { healthPaths } from "./head/request-head.ts";
import type { Answer } from "./http-app.ts";
import { type Endpoint, routesOf } from "./routes.ts";

const { live, ready } = healthPaths;

/**
 * All endpoints: the operations of every version, the inbox, the endpoints outside `/api`, health,
 * and the index.
 */
export const endpointsOf = (parts: GatewayParts): readonly Endpoint[] => [
  ...routesOf(parts.app.versions, parts.defaultVersion).map((route) => ({
    path: route.path,
    inbox: route.inbox,
    answer: route.inbox ? webhookAnswer(parts, route) : operationAnswer(parts, route),
  })),
  ...(parts.app.rooted ?? []).map((endpoint) => ({
    path: endpoint.path,
    inbox: false,
    form: endpoint.methods.includes("POST"),
    answer: (exchange: Exchange) => answerRooted(parts, exchange, endpoint),
  })),
  { path: live, inbox: false, answer: (exchange) => answerHealth(parts, exchange, live) },
  { path: ready, inbox: false, answer: (exchange) => answerHealth(parts, exchange, ready) },
  { path: "/", inbox: false, answer: (exchange) => answerIndex(parts, exchange) },
];

/**
 * Tells whether the process is alive, and whether it should get requests. Strangers may ask, so it
 * tells nothing else, but that the disk is full.
 */
const answerHealth = (parts: GatewayParts, exchange: Exchange, path: string): Promise<Answer> => {
  exchange.route = path;
  return answerRead(exchange.request.method, async () => {
    const found = path === live ? "ok" : await parts.readiness.check();
    return {
      status: found === "ok" ? 200 : 503,
      headers: { "cache-control": "no-store" },
      body: found === "storage_full" ? { status: "unavailable", cause: found } : { status: found },
    };
  });
};

/** Tells programs where everything is, and leads browsers to the console or the documentation. */
const answerIndex = ({ app }: GatewayParts, exchange: Exchange): Promise<Answer> => {
  exchange.route = "/";
  const { root, request } = exchange;
  const docs = `${root}/api/docs`;
  const page = app.rooted?.some(({ path }) => path === "/console/") === true ? `${root}/console/` : docs;
  const vary = "Accept";
  return answerRead(request.method, () => {
    checkLists(request);
    return acceptedType(["application/json", "text/html"], request) === "text/html"
      ? { status: 302, headers: { vary, location: page } }
      : { status: 200, headers: { vary }, body: { api: `${root}/api`, docs, health: `${root}/health/ready` } };
  });
};
