import { AppError } from "@postern/core";
import { acceptedType } from "./accepted-type.ts";
import { parseQuery } from "./check-target.ts";
import { clientAddress } from "./client-address.ts";
import { credentialOf } from "./credential.ts";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import type { Answer, Operation } from "./http-app.ts";
import { CallerGone, type HttpRequest } from "./http-request.ts";
import { readJson } from "./json-body.ts";
import { acceptPatch, checkMediaType } from "./media-type.ts";
import { answerOptions, methodNotAllowed } from "./methods.ts";
import { headerOf } from "./raw-headers.ts";
import { checkAnnouncedLength, discardBody } from "./read-bytes.ts";
import type { ApiRoute } from "./routes.ts";

/**
 * Hands a request to its operation. First comes what the head alone can show to be wrong. The rest is the
 * app's, in the order of the API conventions: it asks for credential, query and body when their turn
 * comes, so the bytes of a stranger are not read.
 * @throws AppError for whatever stands in the way; CallerGone.
 */
export const answerOperation = async (
  { app, settings, budget }: Gateway,
  exchange: Exchange,
  route: ApiRoute,
  params: Readonly<Record<string, string>>,
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
      address: clientAddress(request, settings.trustProxy),
      agent: agentOf(request),
      accepted,
    },
    params,
    headers: request.headers,
    query: () => parseQuery(exchange.search),
    credential: () => credentialOf(request),
    body: async () => {
      try {
        if (takesBody(operation)) return await readJson(request, { limit: settings.jsonLimitBytes, budget });
        await discardBody(request, settings.jsonLimitBytes);
        return undefined;
      } catch (thrown) {
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
