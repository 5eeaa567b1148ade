import { AppError } from "@postern/core";
import type { RootedEndpoint } from "@postern/rest";
import { readForm } from "../body/form-body.ts";
import type { Exchange } from "../exchange.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { agentOf, checkLists, headerOf, occurrences } from "../head/headers.ts";
import { answerOptions, methodNotAllowed } from "../head/methods.ts";
import { parseQuery } from "../head/request-head.ts";
import type { Answer } from "../http-app.ts";
import { CallerGone } from "../http-request.ts";

const methodsOf = ({ methods }: RootedEndpoint): readonly string[] => [
  ...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])),
  "OPTIONS",
];

const queryOf = ({ search }: Exchange): ReadonlyMap<string, string> => {
  const query = new Map<string, string>();
  const pairs = parseQuery(search);
  if (pairs instanceof AppError) throw pairs;
  for (const [name, value] of pairs) {
    if (query.has(name)) {
      throw new AppError("invalid_parameter", {
        detail: "The query gives a parameter more than once.",
        faults: [{ parameter: name, code: "repeated", detail: "give it once" }],
      });
    }
    query.set(name, value);
  }
  return query;
};

/**
 * Hands a request to an endpoint outside `/api`.
 * @throws AppError `method_not_allowed`, `malformed_header`, `overloaded`; CallerGone.
 */
export const answerRooted = async (
  parts: GatewayParts,
  exchange: Exchange,
  endpoint: RootedEndpoint,
): Promise<Answer> => {
  exchange.route = endpoint.path;
  const { request } = exchange;
  const allowed = methodsOf(endpoint);
  if (request.method === "OPTIONS") return answerOptions(allowed);
  if (!allowed.includes(request.method)) throw methodNotAllowed(allowed);
  checkLists(request);
  // What can only be read is ready: documents below `/.well-known`, files of the console. No rate limit counts it.
  exchange.isCounted = endpoint.methods.includes("POST");
  let gone: CallerGone | undefined;
  const answer = await endpoint.answer({
    id: exchange.id,
    method: request.method === "POST" ? "POST" : "GET",
    root: exchange.root,
    address: exchange.address,
    agent: agentOf(request),
    header: (name) => (occurrences(request, name) > 1 ? undefined : headerOf(request, name)),
    query: () => queryOf(exchange),
    form: async () => {
      try {
        return await (exchange.formReader?.() ?? readForm(parts, exchange));
      } catch (thrown) {
        // The rest of the body may be unread, so the connection cannot be used again.
        exchange.closes = true;
        if (!(thrown instanceof CallerGone)) throw thrown;
        gone = thrown;
        throw new AppError("bad_request", { detail: "The request broke off." });
      }
    },
  });
  if (gone !== undefined) throw gone;
  return answer;
};

/**
 * The well-known path of a server below a root. The root stands behind the name of the document and
 * before what follows it: `/.well-known/{name}{root}/api` (RFC 8414, section 3.1; RFC 9728, 3.1).
 */
export const rootedWellKnown = ({ app }: GatewayParts, { fullPath, root }: Exchange): RootedEndpoint | undefined =>
  root === ""
    ? undefined
    : app.rooted?.find(
        ({ path, wellKnown }) =>
          wellKnown === true && fullPath === path.replace(/^\/[^/]+\/[^/]+/, (name) => name + root),
      );
