import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type ServerOptions as TlsServerOptions,
} from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@postern/core";
import { createGateway, type Gateway } from "../gateway.ts";
import type { HttpApp } from "../http-app.ts";
import type { HttpOptions } from "../options.ts";
import { boundConnections, CountedMessage, closeIdleConnections, countSmallChunks } from "./bound-connections.ts";
import { answerClientErrors, answerRaw, manyHeadersCode, mostHeaders } from "./client-errors.ts";
import { createDrain } from "./drain.ts";
import { beginExchange, gatewayListener } from "./node-exchange.ts";
import { awaitingContinue } from "./node-message.ts";
import { withinOpenFiles } from "./open-files.ts";
import { beginCutReaders, watchReader } from "./readers.ts";

interface TlsFiles {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface ConnectionOptions {
  /** Serves HTTPS with these. Default: HTTP. */
  readonly tls?: TlsFiles;
  /**
   * How long a caller may take for a whole request, in milliseconds; a third of it for its head, and
   * as long for a TLS handshake. Default 30,000.
   */
  readonly requestTimeoutMs?: number;
  /**
   * How long a connection may pause between requests, in milliseconds. Callers are told so, and the
   * connection is closed up to two seconds later. Default 5,000, and 75,000 behind a proxy of your
   * own (`trustProxy`), which must not meet the end of a connection that it keeps for 60 s.
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Most connections in total, and at most three quarters of the files that the process may open.
   * Beyond it, the address with the most connections loses an idle one. Default 10,000.
   */
  readonly maxConnections?: number;
  /**
   * Most connections from one address; for IPv6, from one /64 network. Further ones are answered
   * 503 and closed. This bound does not apply behind a proxy of your own (`trustProxy`). Default
   * 2,000.
   */
  readonly maxConnectionsPerAddress?: number;
  /**
   * Answers the requests. Give one to reach Postern through a framework. It must answer every path.
   * Default: Postern's own listener for `node:http`.
   */
  readonly listener?: RequestListener;
}

export interface HttpServerOptions extends HttpOptions, ConnectionOptions {}

interface CloseOptions {
  /**
   * How long requests in flight may still take, in milliseconds, counted from the moment when the
   * server stops taking connections. Default 10,000.
   */
  readonly graceMs?: number;
  /**
   * How long the server still takes connections after readiness says no, in milliseconds. In this
   * time a load balancer finds out, so that no caller is refused. Default 0.
   */
  readonly delayMs?: number;
}

export interface HttpServer {
  /**
   * Starts to take connections. Default: 127.0.0.1 and any free port. Rejects when the address is
   * taken.
   */
  listen(place?: ListenOptions): Promise<ListeningAt>;
  /**
   * Serves further connections with another certificate; open ones keep theirs.
   * @throws TypeError without `tls` in the options.
   */
  reloadTls(files: TlsFiles): void;
  /**
   * Drains and stops. A request in flight is cut off only if it takes longer than `graceMs`.
   * Resolves when every connection is closed. A second call returns the promise of the first.
   */
  close(options?: CloseOptions): Promise<void>;
}

const tooManyConnections = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many connections come from your address; use fewer, and keep them open.",
    headers: { "retry-after": "1" },
  });

/** How long a caller may take, and how much it may ask of one connection. */
const limitsOf = (
  { requestTimeoutMs = 30_000, keepAliveTimeoutMs }: ConnectionOptions,
  { settings: { trustProxy } }: Gateway,
) => {
  const headersTimeout = Math.ceil(requestTimeoutMs / 3);
  return {
    // Request line and headers together: Node's own default. Clients with long tokens send half of it.
    maxHeaderSize: 16 * 1024,
    headersTimeout,
    handshakeTimeout: headersTimeout,
    requestTimeout: requestTimeoutMs,
    // Node checks its connections this often, so it enforces a limit at most a tenth late.
    connectionsCheckingInterval: Math.ceil(headersTimeout / 10),
    keepAliveTimeout: keepAliveTimeoutMs ?? (trustProxy > 0 ? 75_000 : 5_000),
    // Otherwise Node itself would answer a missing Host, without a body. `checkTarget` answers it.
    requireHostHeader: false,
    IncomingMessage: CountedMessage,
  } satisfies TlsServerOptions<typeof CountedMessage>;
};

/**
 * Makes an HTTP server for Postern. It takes connections only after `listen`.
 * @throws TypeError for options that cannot work; OpenSSL's error for a certificate and a key that
 * do not belong together.
 */
export const createHttpServer = (app: HttpApp, options: HttpServerOptions = {}): HttpServer =>
  createGatewayServer(createGateway(app, options), options);

/** The same for a gateway that several adapters share, such as the one behind `listener`. */
export const createGatewayServer = (gateway: Gateway, options: ConnectionOptions = {}): HttpServer => {
  beginCutReaders(gateway);
  const answer = options.listener ?? gatewayListener(gateway);
  let requests = 0;
  const onRequest = async (req: CountedMessage, res: ServerResponse): Promise<void> => {
    requests += 1;
    if (req.rawHeaders.length > 2 * mostHeaders) {
      server.emit("clientError", Object.assign(new Error("too many headers"), { code: manyHeadersCode }), req.socket);
      return;
    }
    if (req.headers["transfer-encoding"] !== undefined) countSmallChunks(gateway, req, cutChunked);
    if ((await beginExchange(gateway, req, res)) === undefined) return;
    // A framework's listener may return nothing to wait for. Then this goes on before its answer is
    // sent, and only large answers are watched, by `largeBody`.
    await answer(req, res);
    if (!res.writableFinished && !res.destroyed && (res.socket?.writableLength ?? 0) > 0) watchReader(gateway, res);
  };

  const limits = limitsOf(options, gateway);
  const tls =
    options.tls === undefined
      ? undefined
      : createTlsServer({ ...limits, ...options.tls }, (req, res) => void onRequest(req, res));
  const server = tls ?? createServer(limits, (req, res) => void onRequest(req, res));
  // `maxHeaderSize` bounds the headers. With a count, Node would silently drop those beyond it.
  server.maxHeadersCount = 0;
  server.on("checkContinue", (req, res) => {
    awaitingContinue.add(req);
    void onRequest(req, res);
  });
  // Any other expectation may be ignored (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (req, res) => void onRequest(req, res));
  answerClientErrors(server, gateway);
  closeIdleConnections(server);
  gateway.strictTransport = tls !== undefined;
  const { maxConnectionsPerAddress = 2_000 } = options;
  const maxConnections = withinOpenFiles(options.maxConnections ?? 10_000, gateway.settings);
  const cutChunked = boundConnections(server, gateway, { maxConnections, maxConnectionsPerAddress }, (socket) => {
    // Under TLS an answer needs a handshake first, which is too much work for a refused connection.
    if (tls === undefined) answerRaw(gateway, socket, tooManyConnections());
    else socket.destroy();
  });
  const drain = createDrain(server, gateway, () => requests);

  let closed: Promise<void> | undefined;
  return {
    listen: (place) => listen(server, place),
    reloadTls: (files) => {
      if (tls === undefined) throw new TypeError("this server was made without `tls`; it cannot start to speak HTTPS");
      tls.setSecureContext({ ...files });
    },
    close: ({ graceMs = 10_000, delayMs = 0 } = {}) => {
      gateway.readiness.stop();
      closed ??= (delayMs > 0 && server.listening ? sleep(delayMs) : Promise.resolve()).then(() => drain(graceMs));
      return closed;
    },
  };
};

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port?: number;
  readonly host?: string;
}

/** Where a server listens; a port of 0 has become a real one. */
export interface ListeningAt {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
}

/**
 * How many connections the system keeps until the server takes them, unless the system's own bound
 * is lower. A caller that finds no room tries again only after a second, so there should always be
 * room.
 */
const backlog = 4_096;

/** Rejects when the address is taken, and when this machine does not have it. */
export const listen = (
  server: Server | TlsServer,
  { port = 0, host = "127.0.0.1" }: ListenOptions = {},
): Promise<ListeningAt> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog }, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") {
        return reject(new TypeError("the server does not listen on a network address"));
      }
      const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
      const scheme = "setSecureContext" in server ? "https" : "http";
      resolve({ host: address.address, port: address.port, url: `${scheme}://${shown}:${address.port}` });
    });
  });
