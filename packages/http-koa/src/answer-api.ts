import type { IncomingMessage } from "node:http";
import { type Answer, AppError, type Operation } from "@postern/core";
import type { Context } from "koa";
import { parseQuery } from "./check-target.ts";
import { clientAddress } from "./client-address.ts";
import { credentialOf } from "./credential.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { acceptPatch, checkMediaType } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import { CallerGone, checkAnnouncedLength, discardBody } from "./read-bytes.ts";
import type { Route } from "./routes.ts";

/**
 * Answers a request of the API, if that can be done at the moment.
 * @throws AppError `overloaded`, and as `answerRouted`; CallerGone.
 */
export const answerApi = (gateway: Gateway, exchange: Exchange, ctx: Context): Promise<Answer> =>
  gateway.overload.answer(() => answerRouted(gateway, exchange, ctx));

/**
 * The way of a request to its operation: route and version, then what can be judged by the head alone. Everything further is core's, in the order of the
 * API conventions; it asks for credential, query and body when their turn comes, so that a stranger's bytes are not read.
 * @throws AppError for whatever stands in the way; CallerGone.
 */
const answerRouted = async (gateway: Gateway, exchange: Exchange, ctx: Context): Promise<Answer> => {
  const { route, params } = await gateway.findRoute(exchange, ctx);
  if (exchange.method === "OPTIONS") return answerOptions(route.methods, patchHint(route));
  const operation = operationOf(route, exchange.method);
  const accepted = acceptedType(operation, ctx);
  if (takesBody(operation)) checkMediaType(exchange.req, operation.method);
  checkAnnouncedLength(exchange.req, gateway.settings.jsonLimitBytes);
  const { settings, budget, readJson } = gateway;
  let gone: CallerGone | undefined;
  const answer = await gateway.app.handle({
    operation,
    facts: {
      id: exchange.id,
      version: route.version,
      base: route.base,
      target: exchange.target,
      address: clientAddress(exchange.req, settings.trustProxy),
      agent: agentOf(exchange.req),
      accepted,
    },
    params,
    headers: exchange.req.headers,
    query: () => parseQuery(exchange.search),
    credential: () => credentialOf(exchange.req),
    body: async () => {
      try {
        if (takesBody(operation)) return await readJson(exchange, ctx);
        await discardBody(exchange, { limit: settings.jsonLimitBytes, budget });
        return undefined;
      } catch (thrown) {
        if (!(thrown instanceof CallerGone)) throw thrown;
        gone = thrown;
        // Nobody's fault, so that core does not log it as one.
        throw new AppError("bad_request", { detail: "The request broke off.", cause: thrown });
      }
    },
  });
  // Core answers every fault; but nobody is there to read this one.
  if (gone !== undefined) throw gone;
  return answer;
};

const operationOf = (route: Route, method: string): Operation => {
  // The types of the table know no HEAD; any other method that is not in the map is simply not found.
  const operation = route.operations.get((method === "HEAD" ? "GET" : method) as Operation["method"]);
  if (operation === undefined) throw methodNotAllowed(route.methods);
  return operation;
};

const patchHint = ({ operations }: Route): Readonly<Record<string, string>> =>
  operations.has("PATCH") ? { "accept-patch": acceptPatch } : {};

/** Of the types that an operation answers with the one that the caller wants most. @throws AppError `not_acceptable`. */
const acceptedType = ({ success }: Operation, ctx: Context): string => {
  const type = success.contentType ?? "application/json";
  const accept = ctx.req.headers.accept;
  if (accept === undefined || accept === "*/*") return type;
  const types = [type, ...(success.alternatives ?? [])];
  const accepted = ctx.accepts(types);
  if (typeof accepted === "string") return accepted;
  throw new AppError("not_acceptable", { detail: `The answer is ${types.join(" or ")}.` });
};

/** The first product of `User-Agent` (RFC 9110, section 10.1.5): `curl/8.5.0`. */
const agentOf = ({ headers }: IncomingMessage): string =>
  /^[\x21-\x7e]{1,64}/.exec(headers["user-agent"] ?? "")?.[0] ?? "";

const takesBody = ({ body }: Operation): boolean => body !== undefined;
