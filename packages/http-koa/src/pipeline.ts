import { type Answer, AppError, newestOf } from "@postern/core";
import type { Context } from "koa";
import { callerGoneStatus, logAccess } from "./access-log.ts";
import { answerApi } from "./answer-api.ts";
import { checkTarget } from "./check-target.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { answerHealth, isHealthPath } from "./health.ts";
import { allMethods, answerOptions, checkMethod, onlyToRead } from "./methods.ts";
import { CallerGone } from "./read-bytes.ts";
import { type Rendered, render } from "./render.ts";
import { answerWellKnown } from "./well-known.ts";

const isApiPath = (path: string): boolean => path === "/api" || path.startsWith("/api/");

/** Whether a path is Postern's where it shares a server with others. */
export const isOurs = (path: string): boolean => isApiPath(path) || isHealthPath(path);

/**
 * The way of every request, whatever it came through: find the answer, or make one of whatever was thrown; give it its headers; send it; log it.
 * Never throws. A caller that went away gets nothing.
 */
export const serve = async (
  gateway: Gateway,
  exchange: Exchange,
  find: () => Promise<Answer>,
  send: (answer: Rendered) => void,
): Promise<void> => {
  noteLatest(gateway, exchange);
  let found: Rendered | undefined;
  try {
    const answer = await find();
    exchange.logged = answer.log;
    found = render(gateway, exchange, answer);
  } catch (thrown) {
    found = renderFault(gateway, exchange, thrown);
  }
  if (exchange.cutOff === undefined && found !== undefined) send(found);
  const sent = exchange.cutOff ?? found;
  logAccess(gateway.settings, exchange, {
    status: sent?.status ?? callerGoneStatus,
    bytes: Number(sent?.headers["content-length"] ?? 0),
  });
};

const noteLatest = ({ connections }: Gateway, exchange: Exchange): void => {
  const connection = connections.get(exchange.req.socket);
  if (connection === undefined) connections.set(exchange.req.socket, { latest: exchange });
  else connection.latest = exchange;
};

const renderFault = (gateway: Gateway, exchange: Exchange, thrown: unknown): Rendered | undefined => {
  if (thrown instanceof CallerGone) return undefined;
  return render(gateway, exchange, gateway.app.fail(thrown, { path: exchange.path, requestId: exchange.id }));
};

/** Everything but webhooks. @throws AppError for whatever stands in the way; CallerGone. */
export const answerRequest = async (gateway: Gateway, exchange: Exchange, ctx: Context): Promise<Answer> => {
  const { path, method } = exchange;
  if (isApiPath(path)) exchange.version = gateway.defaultVersion;
  checkTarget(exchange);
  checkMethod(method);
  if (isApiPath(path)) return answerApi(gateway, exchange, ctx);
  if (isHealthPath(path)) return answerHealth(gateway, exchange);
  if (path === "/") return answerIndex(gateway, exchange);
  const wellKnown = answerWellKnown(gateway, exchange);
  if (wellKnown !== undefined) return wellKnown;
  // RFC 9110, section 9.3.7: a question about the server as a whole.
  if (path === "*" && method === "OPTIONS") return answerOptions([allMethods]);
  throw new AppError("route_not_found", { detail: "There is nothing at this path; GET /api says where to look." });
};

const answerIndex = ({ app }: Gateway, exchange: Exchange): Answer => {
  exchange.route = "/";
  return (
    onlyToRead(exchange.method) ?? {
      status: 200,
      body: { api: "/api", docs: `/api/${newestOf(app.versions).id}/docs`, health: "/health/ready" },
    }
  );
};
