import { type Answer, type ApiRequest, AppError, type Operation } from "@postern/core";
import type { Context } from "koa";
import { parseQuery } from "./check-target.ts";
import { clientAddress } from "./client-address.ts";
import { credentialOf } from "./credential.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { acceptPatch, checkMediaType } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import { discardBody } from "./read-bytes.ts";
import type { FoundRoute } from "./router.ts";
import type { Route } from "./routes.ts";

/**
 * The way of a request to its operation, in the order of the API conventions: route and version, then what can be judged by the head alone, then the
 * credential, then the body. Everything further is core's.
 * @throws AppError for whatever stands in the way; CallerGone.
 */
export const answerApi = async (gateway: Gateway, exchange: Exchange, ctx: Context): Promise<Answer> => {
  const { route, params } = await gateway.findRoute(exchange, ctx);
  if (exchange.method === "OPTIONS") return answerOptions(route.methods, patchHint(route));
  const operation = operationOf(route, exchange.method);
  checkAccept(operation, ctx);
  if (takesBody(operation)) checkMediaType(exchange.req, operation.method);
  const credential = credentialOf(exchange.req);
  const query = parseQuery(exchange.search);
  return callWithBody(
    gateway,
    exchange,
    ctx,
    requestOf(gateway, exchange, { route, params }, operation, credential, query),
  );
};

const operationOf = (route: Route, method: string): Operation => {
  // The types of the table know no HEAD; any other method that is not in the map is simply not found.
  const operation = route.operations.get((method === "HEAD" ? "GET" : method) as Operation["method"]);
  if (operation === undefined) throw methodNotAllowed(route.methods);
  return operation;
};

const patchHint = ({ operations }: Route): Readonly<Record<string, string>> =>
  operations.has("PATCH") ? { "accept-patch": acceptPatch } : {};

const checkAccept = ({ success }: Operation, ctx: Context): void => {
  const accept = ctx.req.headers.accept;
  if (accept === undefined || accept === "*/*") return;
  const type = success.contentType ?? "application/json";
  if (ctx.accepts(type) === false) throw new AppError("not_acceptable", { detail: `The answer is ${type}.` });
};

const takesBody = ({ body }: Operation): boolean => body !== undefined;

const requestOf = (
  { settings }: Gateway,
  exchange: Exchange,
  { route, params }: FoundRoute,
  operation: Operation,
  credential: string | undefined,
  query: ApiRequest["query"],
): ApiRequest => ({
  operation,
  facts: {
    id: exchange.id,
    version: route.version,
    base: route.base,
    target: exchange.target,
    address: clientAddress(exchange.req, settings.trustProxy),
  },
  params,
  query,
  body: undefined,
  credential,
});

/**
 * Reads the body and calls the operation. The conventions put credentials before syntax, but core sees both at once: so where the body cannot be
 * parsed, core is asked without one. It refuses such a call in any case, and if it does so for the credential or a limit, that is the answer.
 */
const callWithBody = async (
  { app, readJson, settings, budget }: Gateway,
  exchange: Exchange,
  ctx: Context,
  request: ApiRequest,
): Promise<Answer> => {
  const { operation, credential } = request;
  if (!takesBody(operation)) {
    await discardBody(exchange, { limit: settings.jsonLimitBytes, budget });
    return app.handle(request);
  }
  // What nobody may do without a credential is refused before a stranger's bytes are read.
  if (operation.access !== "public" && credential === undefined) return app.handle(request);
  try {
    const body = await readJson(exchange, ctx);
    return app.handle({ ...request, body });
  } catch (fault) {
    if (!(fault instanceof AppError) || fault.code !== "invalid_json") throw fault;
    const refusal = await app.handle(request);
    if ([401, 403, 429].includes(refusal.status)) return refusal;
    throw fault;
  }
};
