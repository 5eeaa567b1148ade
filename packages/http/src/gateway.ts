import { AppError } from "@postern/core";
import { networkOf, versionOf } from "@postern/rest";
import { type Logged, linePrice, logAccess } from "./access-log.ts";
import type { RequestKind } from "./admission/admit.ts";
import { answerRooted, rootedWellKnown } from "./answer/answer-rooted.ts";
import { createFinalAnswers } from "./answer/final-answers.ts";
import type { RenderedAnswer } from "./answer/render.ts";
import { answerWellKnown } from "./answer/well-known.ts";
import { type Endpoint, endpointsOf, isApiPath, isHealthPath, nothingThere } from "./endpoints.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { createGatewayParts, type GatewayParts } from "./gateway-parts.ts";
import { proxyWarning } from "./head/client-address.ts";
import { allMethods, answerOptions, checkMethod } from "./head/methods.ts";
import { checkTarget, pathBelow, pathOf, targetOf, unencodedPath } from "./head/target.ts";
import type { Answer, HttpApp } from "./http-app.ts";
import type { HttpAnswer, HttpRequest } from "./http-request.ts";
import { checkOptionNames } from "./option-names.ts";
import { type HttpOptions, type HttpSettings, settingsOf } from "./options.ts";
import { createRouter } from "./router.ts";

/**
 * Postern over HTTP, without a server: requests in, answers out. An adapter opens an exchange for
 * each request, asks for its answer, sends it, and logs it. Adapters that share a gateway share its
 * limits.
 */
export interface Gateway extends GatewayParts {
  /** True once the server takes no further connections. Every answer then closes its connection. */
  draining: boolean;
  /**
   * True if the server itself speaks TLS. Answers then tell browsers to keep using it (RFC 6797).
   */
  strictTransport: boolean;
  /** Every path that is answered, for adapters with a router of their own. */
  readonly endpoints: readonly Endpoint[];
  open(request: HttpRequest): Exchange;
  /**
   * The answer to a request; `undefined` when its caller went away. Never throws: whatever is
   * thrown becomes an answer. `find` is for adapters with a router of their own; by default the
   * path is looked up.
   */
  answer(exchange: Exchange, find?: () => Promise<Answer>): Promise<HttpAnswer | undefined>;
  /**
   * The answer to a path that has no endpoint. @throws AppError `unknown_version`,
   * `route_not_found`.
   */
  answerElsewhere(exchange: Exchange): Promise<Answer>;
  /**
   * Decides on whether and when a request runs, and gives it a ticket, which `answer` gives back.
   * `answer` calls it for adapters that did not. A second call does nothing.
   * `undefined` if the request need not wait.
   * @throws AppError `overloaded`, at once or from the promise.
   */
  admit(exchange: Exchange): Promise<void> | undefined;
  /**
   * The answer to a fault that the adapter found itself. `exchange` is `undefined` if there is no
   * request yet.
   */
  answerFault(thrown: unknown, exchange: Exchange | undefined): RenderedAnswer;
  /** Writes the line and the measurement of a request. */
  log(exchange: Pick<Exchange, "id" | "address" | "startedMs"> & Partial<Exchange>, answer: Logged): void;
  /**
   * Whether a path belongs to Postern when it shares a server: everything below the root or,
   * without a root, the API, its endpoints outside `/api`, and health.
   */
  owns(exchange: Pick<Exchange, "root" | "path">): boolean;
  /** Whether a request line leads to the inbox. */
  isWebhook(target: string): boolean;
}

/**
 * HTTP without a server, for an adapter of your own. Adapters that share a gateway share its limits.
 * @throws TypeError for options that cannot work; DeclarationError for options that do not exist;
 *   AppError `unknown_version`.
 */
export const createGateway = (app: HttpApp, options: HttpOptions = {}): Gateway => {
  checkOptionNames(options);
  return gatewayWith(app, settingsOf(options));
};

/** The same for settings that have been checked. */
export const gatewayWith = (app: HttpApp, settings: HttpSettings): Gateway => {
  const parts = createGatewayParts(app, settings);
  const endpoints = endpointsOf(parts);
  const lookUp = createRouter(endpoints);
  const paths = pathQuestions(app, settings, endpoints);
  const warnOfProxy = proxyWarning(settings);

  const answerByPath = (exchange: Exchange): Promise<Answer> => {
    const found = exchange.path === undefined ? undefined : lookUp(exchange.path);
    return found === undefined ? answerElsewhere(parts, exchange) : found.endpoint.answer(exchange, found.params);
  };

  const gateway: Gateway = {
    ...parts,
    owns: paths.owns,
    isWebhook: paths.isWebhook,
    draining: false,
    strictTransport: false,
    endpoints,
    open: (request) => {
      const exchange = openExchange(settings, request);
      // Every answer says its version, also that of a request which is refused before its route is known.
      if (exchange.path !== undefined && isApiPath(exchange.path)) exchange.version = parts.defaultVersion;
      warnOfProxy(request, exchange.address);
      return exchange;
    },
    admit: (exchange) => {
      if (exchange.ticket !== undefined) return undefined;
      const ticket = parts.admission.admit(exchange.network, paths.kindOf(exchange));
      if (ticket instanceof Promise) {
        return ticket.then((given) => {
          exchange.ticket = given;
        });
      }
      exchange.ticket = ticket;
      return undefined;
    },
    answer: async (exchange, find) => {
      try {
        const admission = gateway.admit(exchange);
        if (admission !== undefined) await admission;
        checkTarget(exchange, settings.urlLimitBytes);
        checkMethod(exchange.request.method);
        return await answers.ofAnswer(exchange, await (find === undefined ? answerByPath(exchange) : find()));
      } catch (thrown) {
        return answers.ofThrown(thrown, exchange);
      } finally {
        exchange.ticket?.release();
      }
    },
    answerElsewhere: async (exchange) => answerElsewhere(parts, exchange),
    answerFault: (thrown, exchange) => answers.ofFault(thrown, exchange),
    log: (exchange, answer) => {
      const price = linePrice(exchange, answer);
      const isQuiet = price > 0 && parts.lines.note(exchange.network ?? networkOf(exchange.address), price);
      logAccess(settings, exchange, answer, isQuiet);
    },
  };
  const answers = createFinalAnswers(parts, gateway);
  return gateway;
};

/** What a path or a request line says about its request. */
const pathQuestions = (app: HttpApp, { basePath }: HttpSettings, endpoints: readonly Endpoint[]) => {
  const inboxes = endpoints.filter(({ inbox }) => inbox).map(({ path }) => beforeProvider(path));
  const isInbox = (path: string): boolean => {
    for (const prefix of inboxes) if (path.startsWith(prefix) && path.length > prefix.length) return true;
    return false;
  };
  const rootedPaths = new Set(app.rooted?.map(({ path }) => path));
  return {
    kindOf: ({ path, request }: Exchange): RequestKind => {
      if (path === undefined) return "page";
      if (isHealthPath(path)) return "health";
      if (isInbox(path)) return request.method === "POST" ? "webhook" : "page";
      return isApiPath(path) || rootedPaths.has(path) ? "api" : "page";
    },
    owns: ({ root, path }: Pick<Exchange, "root" | "path">): boolean =>
      path !== undefined && (root !== "" || isApiPath(path) || isHealthPath(path) || rootedPaths.has(path)),
    isWebhook: (target: string): boolean => {
      const path = pathBelow(basePath, unencodedPath(pathOf(targetOf(target))));
      return path !== undefined && isInbox(path);
    },
  };
};

const versionSegment = /^\/api\/(v\d+)(?=\/|$)/;

const answerElsewhere = async (parts: GatewayParts, exchange: Exchange): Promise<Answer> => {
  const { path, fullPath, request } = exchange;
  const segment = versionSegment.exec(path ?? "")?.[1];
  if (segment !== undefined) exchange.version = versionOf(parts.app.versions, segment);
  const rooted = rootedWellKnown(parts, exchange);
  if (rooted !== undefined) return answerRooted(parts, exchange, rooted);
  const wellKnown = answerWellKnown(parts, exchange);
  if (wellKnown !== undefined) return wellKnown;
  // RFC 9110, section 9.3.7: a question about the server as a whole.
  if (fullPath === "*" && request.method === "OPTIONS") return answerOptions([allMethods]);
  const named = /^(.*\/webhooks\/[^/]+)\/+$/.exec(fullPath)?.[1];
  if (named === undefined) throw nothingThere();
  throw new AppError("route_not_found", {
    detail: `There is nothing at this path, which ends in a slash too many; send to ${named}.`,
  });
};

const beforeProvider = (path: string): string => {
  const [prefix, rest] = path.split("{provider}");
  if (prefix !== undefined && rest === "") return prefix;
  throw new TypeError(`${path}: the path of a raw operation ends in {provider}`);
};
