import { AppError } from "@postern/core";
import { acceptedType } from "./accepted-type.ts";
import { parseQuery } from "./check-target.ts";
import { credentialOf } from "./credential.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import type { Answer, Operation } from "./http-app.ts";
import { CallerGone, type HttpRequest } from "./http-request.ts";
import { readJson } from "./json-body.ts";
import { acceptPatch, checkMediaType } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import type { Slot } from "./overload.ts";
import { headerOf } from "./raw-headers.ts";
import { checkAnnouncedLength, hasBody } from "./read-bytes.ts";
import type { ApiRoute } from "./routes.ts";

/** Where a request leads, and the slot that it holds while it is answered. */
interface FoundOperation {
  readonly route: ApiRoute;
  readonly params: Readonly<Record<string, string>>;
  readonly slot: Slot;
}

/**
 * Hands a request to its operation. First comes what the head alone can show to be wrong. The rest is the
 * app's, in the order of the API conventions: it asks for credential, query and body when their turn
 * comes, so the bytes of a stranger are not read.
 * @throws AppError for whatever stands in the way; CallerGone.
 */
export const answerOperation = async (
  { app, settings, budget, uploads }: Gateway,
  exchange: Exchange,
  { route, params, slot }: FoundOperation,
): Promise<Answer> => {
  const { request } = exchange;
  if (request.method === "OPTIONS") return answerOptions(route.methods, patchHint(route));
  const operation = operationOf(route, request.method);
  const accepted = acceptedType(operation, request);
  if (takesBody(operation)) checkMediaType(request, operation.method);
  checkAnnouncedLength(request, settings.jsonLimitBytes);
  let gone: CallerGone | undefined;
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
    headers: request.headers,
    query: () => parseQuery(exchange.search),
    credential: () => credentialOf(request),
    onPrincipal: (principal) => {
      exchange.noted = principal.kind === "user" ? { user: principal.userId } : { operator: principal.name };
    },
    body: async () => {
      // A body that nobody asked for is not waited for; the adapter drops it.
      if (!takesBody(operation) || !hasBody(request)) return undefined;
      const limits = { limit: settings.jsonLimitBytes, network: exchange.network, budget, uploads };
      try {
        return await slot.without(() => readJson(request, limits));
      } catch (thrown) {
        // Unless the text was whole, the rest of the body is unread and the connection cannot be used again.
        exchange.closes = thrown instanceof AppError && thrown.code !== "invalid_json";
        if (!(thrown instanceof CallerGone)) throw thrown;
        gone = thrown;
        // As a fault of the request, so that the app does not log it as a failure of its own.
        throw new AppError("bad_request", { detail: "The request broke off.", cause: thrown });
      }
    },
  });
  // The app answers every fault, but nobody is there to read this answer.
  if (gone !== undefined) throw gone;
  return answer;
};

const operationOf = (route: ApiRoute, method: string): Operation => {
  // The types of the table know no HEAD; any other method that is not in the map is simply not found.
  const operation = route.operations.get((method === "HEAD" ? "GET" : method) as Operation["method"]);
  if (operation === undefined) throw methodNotAllowed(route.methods);
  return operation;
};

const patchHint = ({ operations }: ApiRoute): Readonly<Record<string, string>> =>
  operations.has("PATCH") ? { "accept-patch": acceptPatch } : {};

/** The first product of `User-Agent` (RFC 9110, section 10.1.5): `curl/8.5.0`. */
const agentOf = (request: HttpRequest): string =>
  /^[\x21-\x7e]{1,64}/.exec(headerOf(request, "user-agent") ?? "")?.[0] ?? "";

const takesBody = ({ body }: Operation): boolean => body !== undefined;
