import { AppError } from "@postern/core";
import type { RequestBody } from "@postern/rest";
import { checkUnread } from "../admission/memory.ts";
import { readJson } from "../body/json-body.ts";
import { checkAnnouncedLength } from "../body/read-bytes.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { acceptedType } from "../head/accept.ts";
import { agentOf, checkLists, credentialOf, hasBody, headerOf } from "../head/headers.ts";
import { acceptPatch, checkMediaType } from "../head/media-type.ts";
import { answerOptions, methodNotAllowed } from "../head/methods.ts";
import { parseQuery } from "../head/request-head.ts";
import { CallerGone } from "../http-request.ts";
import type { ApiRoute, Endpoint } from "../routes.ts";

/**
 * Makes what hands a request of a route to its operation. First it refuses faults that the head alone
 * shows. The app checks the rest in the order of the API conventions, and asks for the body last, so
 * the bytes of a stranger are not read.
 */
export const operationAnswer = (parts: GatewayParts, route: ApiRoute): Endpoint["answer"] => {
  const { app, settings } = parts;
  return async (exchange, params) => {
    const { request } = exchange;
    exchange.version = route.version;
    // Names and ids have no character that needs to be encoded, and the others have been decoded. What
    // is still encoded, such as `%00`, is passed on as it is, and names nothing.
    exchange.route = route.template;
    const { method } = request;
    if (method === "OPTIONS") return answerOptions(route.methods, patchHint(route));
    // The types of the table have no HEAD. Any other method that is not in the map is not found.
    const operation = route.operations.get(method === "HEAD" ? "GET" : method);
    if (operation === undefined) throw methodNotAllowed(route.methods);
    const { success, body } = operation;

    checkLists(request);
    const types = [success.contentType ?? "application/json", ...(success.alternatives ?? [])];
    const accepted = acceptedType(types, request);
    if (accepted === undefined) {
      throw new AppError("not_acceptable", { detail: `The answer is ${types.join(" or ")}.` });
    }
    const headers = parts.compression?.readHead(request) ?? request.headers;
    if (body !== undefined) checkMediaType(request, operation.method);
    checkAnnouncedLength(request, settings.jsonLimitBytes);

    const lastEventId = headerOf(request, "last-event-id");
    let gone: CallerGone | undefined;
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
        ...(lastEventId === undefined ? {} : { lastEventId }),
        accepted,
      },
      params,
      headers,
      query: exchange.search === "" ? [] : parseQuery(exchange.search),
      credential: credentialOf(request),
      onPrincipal: (principal) => {
        // For an API key this is its id, by which the owner can find and end the key.
        if (principal.kind === "operator") exchange.logged = { operator: principal.name };
        else if (principal.credential.kind !== "api-key") exchange.logged = { user: principal.userId };
        else exchange.logged = { user: principal.userId, api_key: principal.credential.id };
      },
      body: async () => {
        checkUnread(parts.unread, exchange.network, settings);
        try {
          // A read changes nothing, so it need not be made for a caller that has gone.
          if (request.isGone === true && (method === "GET" || method === "HEAD")) throw new CallerGone();
          // The operation takes no body, so nothing waits for one. The adapter drops its bytes.
          return body === undefined || !hasBody(request) ? undefined : await readBody(parts, exchange);
        } catch (thrown) {
          if (!(thrown instanceof CallerGone)) throw thrown;
          gone = thrown;
          // A fault of the request, so that the app does not log it as a failure of its own.
          throw new AppError("bad_request", { detail: "The request broke off.", cause: thrown });
        }
      },
    });
    // The app answers every fault, but this caller has gone and cannot read the answer.
    if (gone !== undefined) throw gone;
    return answer;
  };
};

const mebibyte = 1024 * 1024;

/**
 * Most members and elements of a JSON body, together. A megabyte can hold some hundred thousand, which
 * keep `JSON.parse` busy for a tenth of a second; no row has as many. Where longer
 * bodies are allowed, they may have more.
 */
const mostValuesWithin = (limitBytes: number): number => Math.floor(10_000 * Math.max(1, limitBytes / mebibyte));

const readBody = (parts: GatewayParts, exchange: Exchange): Promise<RequestBody | undefined> => {
  const { settings, bodies } = parts;
  const { request, network } = exchange;
  const { closes: closedBefore } = exchange;
  // If the body does not come in whole, the connection cannot be used again.
  exchange.closes = true;
  const onWhole = (): void => {
    exchange.closes = closedBefore;
  };
  const limits = {
    limit: settings.jsonLimitBytes,
    mostValues: mostValuesWithin(settings.jsonLimitBytes),
    network,
    bodies,
    onWhole,
  };
  return readJson(request, limits);
};

const patchHint = ({ operations }: ApiRoute): Readonly<Record<string, string>> =>
  operations.has("PATCH") ? { "accept-patch": acceptPatch } : {};
