import type { AnswerStream } from "@postern/core";
import { AppError } from "@postern/core";
import { networkOf } from "@postern/rest";
import type { Rate } from "./admission/rate.ts";
import { turns } from "./admission/turns.ts";
import { answerElsewhere } from "./answer/elsewhere.ts";
import { createLastRequests } from "./answer/last-requests.ts";
import { type RenderedAnswer, render } from "./answer/render.ts";
import { rootedAnswer } from "./answer/rooted-answer.ts";
import { endpointsOf } from "./endpoints.ts";
import type { Exchange, RequestKind } from "./exchange.ts";
import { createGatewayParts, type GatewayParts } from "./gateway-parts.ts";
import {
  apiPath,
  checkTarget,
  clientAddress,
  fitRequestId,
  healthPaths,
  mountWarning,
  pathBelow,
  proxyWarning,
  targetOf,
  unencodedPath,
} from "./head/request-head.ts";
import type { Answer, HttpApp } from "./http-app.ts";
import { CallerGone, type HttpAnswer, type HttpRequest } from "./http-request.ts";
import { checkOptions } from "./option-rules.ts";
import { type HttpOptions, type HttpSettings, settingsOf } from "./options.ts";
import { createRouter, type Endpoint } from "./routes.ts";

/** The status in the log if the caller went away. It is never sent. */
const callerGoneStatus = 499;

/**
 * Statuses that are refusals even where a rate limit has counted the request: no valid credential,
 * too slow, too many requests, a head that is too large, caller gone, no room.
 */
const refusals: ReadonlySet<number> = new Set([401, 408, 429, 431, callerGoneStatus, 503]);

/** A request that is refused or leads nowhere costs its caller little, so an address gets few lines for them. */
const priceOfRefusal = 1;
/** A preflight, the index, the published keys: answered, but nothing bounds how many an address may send. */
const priceOfUncounted = 0.1;

/** What the line of a request costs its address, if no rate limit has counted the request. */
const linePrice = (route: string, status: number): number => {
  if (route === "unmatched" || refusals.has(status) || (status >= 400 && status < 500)) return priceOfRefusal;
  return status < 400 && !route.startsWith("/health") ? priceOfUncounted : 0;
};

/**
 * The facts about an answer that the log contains; `undefined` if the caller went away before there
 * was an answer.
 */
type Logged = { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;

/**
 * Returns a function that writes one line and one measurement for a request. They hold the template of
 * the path, never the path, and nothing of query, headers or bodies. The operation may add fields of
 * its own. `bytes` is the length of the answer's body. An address beyond its rate of `lines` gets no
 * line, because one a minute stands for all such requests.
 */
const createAccessLog =
  ({ telemetry }: Pick<HttpSettings, "telemetry">, lines: Rate) =>
  (exchange: Pick<Exchange, "id" | "address" | "startedMs"> & Partial<Exchange>, answer: Logged): void => {
    const ms = Math.round((performance.now() - exchange.startedMs) * 10) / 10;
    const { address, route = "unmatched", logged, isCounted = false } = exchange;
    const method = exchange.request?.method ?? "";
    const status = answer?.status ?? callerGoneStatus;
    const fields = {
      request_id: exchange.id,
      address,
      method,
      route,
      version: exchange.version?.id,
      status,
      ms,
      bytes: Number(answer?.headers["content-length"] ?? 0),
    };
    if (logged !== undefined) Object.assign(fields, logged);
    const price = isCounted && route !== "unmatched" && !refusals.has(status) ? 0 : linePrice(route, status);
    if (price === 0 || !lines.note(exchange.network ?? networkOf(address), price)) {
      telemetry.log(route.startsWith("/health") ? "debug" : "info", "request", fields);
    }
    telemetry.observe("http_request_ms", ms, { method, route, status: String(status) });
  };

/**
 * Postern over HTTP, without a server: requests in, answers out. An adapter opens an exchange for
 * each request, asks for its answer, sends it, and logs it. Adapters that share a gateway share its
 * limits.
 */
export interface Gateway extends GatewayParts {
  /** True once the server takes no further connections. Every answer then closes its connection. */
  readonly draining: boolean;
  /** Makes it so, and ends the streams. */
  beginDraining(): void;
  /**
   * For a server of somebody else's: begins draining, answers what still arrives on open connections
   * until `quietMs` pass without a request, at most for 8 s, and then refuses what comes with
   * `draining`. Until then the storage must stay open.
   */
  drain(quietMs: number): Promise<void>;
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
   * Decides whether and when a request begins. `answer` calls it for adapters that did not. A second
   * call does nothing.
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
}

/**
 * HTTP without a server, for an adapter of your own. Adapters that share a gateway share its limits.
 * @throws DeclarationError for options that do not exist or cannot work; AppError `unknown_version`.
 */
export const createGateway = (app: HttpApp, options: HttpOptions = {}): Gateway => {
  checkOptions(options);
  return gatewayWith(app, settingsOf(options));
};

/** The same for settings that have been checked. */
export const gatewayWith = (app: HttpApp, settings: HttpSettings): Gateway => {
  const parts = createGatewayParts(app, settings);
  const endpoints = endpointsOf(parts);
  const lookUp = createRouter(endpoints);
  const inboxes = endpoints.filter(({ inbox }) => inbox).map(({ path }) => beforeProvider(path));
  const rootedPaths = new Set(app.rooted?.map(({ path }) => path));
  const warnOfProxy = proxyWarning(settings);
  const warnOfMount = mountWarning(settings);
  const lastRequests = createLastRequests();
  let draining = false;

  const kindOf = (method: string, path: string | undefined): RequestKind => {
    if (path === undefined) return "page";
    if (path === healthPaths.live || path === healthPaths.ready) return "health";
    for (const prefix of inboxes) {
      if (path.startsWith(prefix) && path.length > prefix.length)
        return method === "POST" || method === "PUT" ? "webhook" : "page";
    }
    return apiPath.test(path) || rootedPaths.has(path) ? "api" : "page";
  };

  const open = (request: HttpRequest): Exchange => {
    const sent = request.target.startsWith("/") ? request.target : targetOf(request.target);
    const end = sent.indexOf("?");
    const sentPath = end === -1 ? sent : sent.slice(0, end);
    const fullPath = sentPath.includes("%") ? unencodedPath(sentPath) : sentPath;
    const { basePath } = settings;
    const root = request.mountPath === "" ? basePath : unencodedPath(request.mountPath) + basePath;
    const path = root === "" ? fullPath : pathBelow(root, fullPath);
    if (path === undefined && request.mountPath !== "") warnOfMount(request.mountPath);
    const address = clientAddress(request, settings.trustProxy);
    warnOfProxy(request, address);
    const givenId = request.headers["x-request-id"];
    return {
      request,
      address,
      network: networkOf(address),
      id: typeof givenId === "string" && fitRequestId.test(givenId) ? givenId : settings.requestId(),
      startedMs: performance.now(),
      target: fullPath === sentPath ? sent : fullPath + sent.slice(sentPath.length),
      fullPath,
      root,
      path,
      search: sent.slice(sentPath.length + 1),
      kind: kindOf(request.method, path),
      isAdmitted: false,
      // Every answer says its version, also that of a request which is refused before its route is known.
      version: path !== undefined && apiPath.test(path) ? parts.defaultVersion : undefined,
      route: "unmatched",
      formReader: undefined,
      logged: undefined,
      isCounted: false,
      closes: false,
    };
  };

  /** What is sent for the answer of an operation. A promise only if a document is compressed. */
  const finalAnswer = (exchange: Exchange, given: Answer): HttpAnswer | Promise<HttpAnswer> => {
    const answer = given.stream === undefined ? given : { ...given, stream: watched(parts.streams, given.stream) };
    if (exchange.request.method === "HEAD") answer.stream?.end();
    if (answer.log !== undefined) exchange.logged = { ...exchange.logged, ...answer.log };
    const { root } = exchange;
    const document = answer.isLasting === true ? parts.documents(root, answer) : undefined;
    const rooted = root === "" ? answer : rootedAnswer(root, answer);
    const whole = document === undefined ? rooted : { ...answer, text: document.text };
    const rendered = render(settings, gateway, exchange, whole, document?.bytes.length);
    turns.charge(exchange.network, rendered.body?.length ?? 0);
    // An answer with a secret (sessions, tokens, keys) has no tag or must not be stored. Its compressed
    // length could reveal something to an eavesdropper (BREACH). Errors have no tag either.
    const mayBeCompressed = answer.headers?.etag !== undefined && answer.headers["cache-control"] !== "no-store";
    return (mayBeCompressed ? parts.compression?.apply(exchange, rendered, document) : undefined) ?? rendered;
  };

  const gateway: Gateway = {
    ...parts,
    get draining() {
      return draining;
    },
    beginDraining: () => {
      draining = true;
      for (const stream of parts.streams) stream.end();
    },
    drain: async (quietMs) => {
      parts.readiness.stop();
      gateway.beginDraining();
      await lastRequests.wait(quietMs);
    },
    strictTransport: false,
    endpoints,
    open,
    admit: (exchange) => {
      if (lastRequests.isOver && exchange.kind !== "health") throw stopped();
      return parts.admission.admit(exchange);
    },
    answer: async (exchange, find) => {
      lastRequests.begin();
      try {
        const admission = gateway.admit(exchange);
        if (admission !== undefined) await admission;
        checkTarget(exchange);
        if (find !== undefined) return await finalAnswer(exchange, await find());
        const found = exchange.path === undefined ? undefined : lookUp(exchange.path);
        const answer =
          found === undefined ? answerElsewhere(parts, exchange) : found.endpoint.answer(exchange, found.params);
        return await finalAnswer(exchange, await answer);
      } catch (thrown) {
        return thrown instanceof CallerGone ? undefined : gateway.answerFault(thrown, exchange);
      } finally {
        lastRequests.end();
      }
    },
    answerElsewhere: (exchange) => answerElsewhere(parts, exchange),
    answerFault: (thrown, exchange) => {
      const about = exchange ?? { id: settings.requestId(), version: undefined, fullPath: "", closes: true };
      const answer = app.fail(thrown, { path: about.fullPath, requestId: about.id });
      return render(settings, gateway, about, rootedAnswer(exchange?.root ?? settings.basePath, answer));
    },
    log: createAccessLog(settings, parts.lines),
    owns: ({ root, path }) =>
      path !== undefined && (root !== "" || kindOf("GET", path) !== "page" || apiPath.test(path)),
  };
  return gateway;
};

const stopped = (): AppError =>
  new AppError("draining", {
    detail: "This process is about to stop; send the request again over a new connection.",
    headers: { "retry-after": "1" },
  });

/** A stream that is among `streams` until it ends. */
const watched = (streams: GatewayParts["streams"], { next, end }: AnswerStream): AnswerStream => {
  const stream: AnswerStream = {
    next: async () => {
      const text = await next();
      if (text === undefined) streams.delete(stream);
      return text;
    },
    end: () => {
      streams.delete(stream);
      end();
    },
  };
  streams.add(stream);
  return stream;
};

const beforeProvider = (path: string): string => {
  const [prefix, rest] = path.split("{provider}");
  if (prefix !== undefined && rest === "") return prefix;
  throw new TypeError(`${path}: the path of a raw operation ends in {provider}`);
};
