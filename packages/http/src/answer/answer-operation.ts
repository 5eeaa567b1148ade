import { AppError } from "@postern/core";
import type { Principal } from "@postern/rest";
import { checkUnread } from "../admission/memory.ts";
import { readJson } from "../body/json-body.ts";
import { checkAnnouncedLength } from "../body/read-bytes.ts";
import { type Exchange, withoutPlace } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { acceptedType } from "../head/accepted-type.ts";
import { credentialOf } from "../head/credential.ts";
import { agentOf, checkLists, hasBody } from "../head/headers.ts";
import { acceptPatch, checkMediaType } from "../head/media-type.ts";
import { answerOptions, methodNotAllowed } from "../head/methods.ts";
import { parseQuery } from "../head/target.ts";
import type { Answer, LogFields, Operation } from "../http-app.ts";
import { CallerGone } from "../http-request.ts";
import type { ApiRoute } from "../routes.ts";

/**
 * Hands a request to its operation. First it refuses faults that the head alone shows. The app
 * checks the rest in the order of the API conventions, and asks for the body last, so the bytes of
 * a stranger are not read.
 * @throws AppError when the request is refused; CallerGone when its caller went away.
 */
export const answerOperation = async (
  parts: GatewayParts,
  exchange: Exchange,
  route: ApiRoute,
  params: Readonly<Record<string, string>>,
): Promise<Answer> => {
  const { app, settings, bodies, uploads } = parts;
  const { request } = exchange;
  if (request.method === "OPTIONS") return answerOptions(route.methods, patchHint(route));
  const operation = operationOf(route, request.method);
  checkLists(request);
  const accepted = acceptedType(operation, request);
  parts.compression.checkRequest(request);
  if (takesBody(operation)) checkMediaType(request, operation.method);
  checkAnnouncedLength(request, settings.jsonLimitBytes);
  let gone: CallerGone | undefined;
  /** Reported as a fault of the request, so that the app does not log it as a failure of its own. */
  const leave = (cause: CallerGone): AppError => {
    gone = cause;
    return new AppError("bad_request", { detail: "The request broke off.", cause });
  };
  exchange.isCounted = true;
  const answer = await app.handle({
    operation,
    facts: {
      id: exchange.id,
      version: route.version,
      base: exchange.root + route.base,
      target: exchange.target,
      address: exchange.address,
      agent: agentOf(request),
      accepted,
    },
    params,
    headers: parts.compression.conditionsOf(request),
    query: parseQuery(exchange.search),
    credential: credentialOf(request),
    onPrincipal: (principal) => {
      exchange.noted = notedOf(principal);
    },
    body: async () => {
      // The request's turn among the requests of its user has come, right before the work.
      checkUnread(parts.unread, exchange.network, settings);
      if (request.isGone === true && isRead(request.method)) throw leave(new CallerGone());
      // The operation takes no body, so nothing waits for one. The adapter drops its bytes.
      if (!takesBody(operation) || !hasBody(request)) return undefined;
      const { jsonLimitBytes: limit, jsonLimitValues: mostValues } = settings;
      const { network } = exchange;
      // Unless the body was whole, the rest of it is unread and the connection cannot be used
      // again.
      let isWhole = false;
      const onWhole = (): void => {
        isWhole = true;
      };
      const limits = { limit, mostValues, network, bodies, uploads, onWhole };
      try {
        return await withoutPlace(exchange, () => readJson(request, limits));
      } catch (thrown) {
        exchange.closes = thrown instanceof AppError && !isWhole;
        throw thrown instanceof CallerGone ? leave(thrown) : thrown;
      }
    },
  });
  // The app answers every fault, but this caller has gone and cannot read the answer.
  if (gone !== undefined) throw gone;
  return answer;
};

/** A read changes nothing, so it need not be made for a caller that has gone. */
const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/**
 * The caller, for the log. For an API key this is its id, by which the owner can find and end the
 * key.
 */
const notedOf = (principal: Principal): LogFields => {
  if (principal.kind === "operator") return { operator: principal.name };
  const { userId: user, credential } = principal;
  return credential.kind === "api-key" ? { user, api_key: credential.id } : { user };
};

const operationOf = (route: ApiRoute, method: string): Operation => {
  // The types of the table have no HEAD. Any other method that is not in the map is not found.
  const operation = route.operations.get((method === "HEAD" ? "GET" : method) as Operation["method"]);
  if (operation === undefined) throw methodNotAllowed(route.methods);
  return operation;
};

const patchHint = ({ operations }: ApiRoute): Readonly<Record<string, string>> =>
  operations.has("PATCH") ? { "accept-patch": acceptPatch } : {};

const takesBody = ({ body }: Operation): boolean => body !== undefined;
