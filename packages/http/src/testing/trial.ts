import type { RequestListener } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { App } from "@postern/app";
import { type LogEntry, type MemoryPorts, memoryTelemetry } from "@postern/core/memory";
import type { Telemetry } from "@postern/core/ports";
import { type Gateway, gatewayWith } from "../gateway.ts";
import { createGatewayServer, type HttpServer, type HttpServerOptions } from "../node/create-http-server.ts";
import { settingsOf, type Waits } from "../options.ts";
import { type Made, makeApp } from "./app-under-test.ts";
import { letGo } from "./from-address.ts";
import { parseReplies, type RawReply, requestsIn, talk } from "./raw.ts";

/** Answers plain requests for one gateway. */
interface Answering {
  /** Scheme and authority of the URLs that `fetch` is called with: `http://127.0.0.1:3000`. */
  readonly origin: string;
  /**
   * Gives a plain request to the adapter and returns its plain response, as the global `fetch`
   * does.
   */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Closes everything that was opened. */
  close(): Promise<void>;
}

/**
 * An adapter as the suite of messages sees it. It is called for each application that a case
 * serves.
 */
export type MessagesAdapter = (gateway: Gateway) => Promise<Answering>;

/**
 * An adapter as the suite of connections sees it: a listener of a server that `createGatewayServer`
 * makes.
 */
export type ConnectionsAdapter = (gateway: Gateway) => RequestListener;

/** An answer as the caller gets it. */
export interface ReceivedAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly text: string;
}

/**
 * Gets every answer, and throws to fail the case. Use it to check what must be true for all your
 * answers. `request` is `undefined` if the bytes on the connection were not a request.
 */
export type CheckAnswer = (
  app: App,
  request: { readonly method: string; readonly path: string } | undefined,
  answer: ReceivedAnswer,
) => void;

/** An application that is served for a case, with everything behind it in memory. */
export interface Served {
  readonly app: App;
  readonly ports: MemoryPorts;
  readonly url: string;
  /** The access log: one line for each request. */
  readonly log: AccessLog;
}

/** The same on a server of its own. */
export interface ServedByServer extends Served {
  readonly server: HttpServer;
  readonly port: number;
}

interface AccessLog extends Telemetry {
  readonly lines: readonly LogEntry[];
  /** Resolves when there are this many lines. */
  reach(count: number): Promise<void>;
}

/** One case on one adapter. */
export interface Trial<On extends Served = Served> {
  /**
   * Serves an application, by default one with users, posts, comments and the webhook sender
   * `acme`. `waits` says how long requests wait for what others hold.
   */
  serve(options?: HttpServerOptions, made?: Made, waits?: Partial<Waits>): Promise<On>;
  /** As the global `fetch`, for the URLs of served applications. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Writes bytes to a server as they are, and gives its answers until it closes the connection. */
  raw(port: number, bytes: string | Buffer): Promise<readonly RawReply[]>;
  /** The answers in what a server sent on one connection. */
  parseReplies(text: string): readonly RawReply[];
}

const accessLog = (): AccessLog => {
  const memory = memoryTelemetry();
  let waiting: { count: number; resolve: () => void }[] = [];
  const lines = () => memory.entries.filter(({ message }) => message === "request");
  return {
    ...memory,
    get lines() {
      return lines();
    },
    log: (...entry) => {
      memory.log(...entry);
      const { length } = lines();
      for (const { count, resolve } of waiting) if (length >= count) resolve();
      waiting = waiting.filter(({ count }) => length < count);
    },
    reach: (count) =>
      new Promise((resolve) => {
        if (lines().length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
};

/**
 * An answer as it was before it was compressed. The global `fetch` has decoded it already; an
 * adapter that gives its own `Response` has not, and its body is as long as `content-length` says.
 */
const decoded = async (answer: Response): Promise<Response> => {
  const { status, headers, body } = answer;
  const coding = headers.get("content-encoding");
  if (coding === null || body === null) return answer;
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (bytes.length === 0 || bytes.length !== Number(headers.get("content-length"))) {
    return new Response(bytes, { status, headers });
  }
  return new Response(coding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes), { status, headers });
};

/** What a case serves, and how its answers are checked; the same for both suites. */
const createStage = <On extends Served>(
  check: CheckAnswer | undefined,
  open: (
    gateway: Gateway,
    options: HttpServerOptions,
  ) => Promise<Answering & { readonly more: Omit<On, keyof Served> }>,
): { trial: Trial<On>; close: () => Promise<void> } => {
  const running: { answering: Answering; app: App }[] = [];

  const parse = (text: string): readonly RawReply[] => {
    const replies = parseReplies(text);
    const app = running.at(-1)?.app;
    for (const reply of replies) {
      const isProblem = reply.headers.get("content-type") === "application/problem+json";
      if (app !== undefined && isProblem) check?.(app, undefined, { ...reply, text: reply.body });
    }
    return replies;
  };

  const trial: Trial<On> = {
    serve: async (options = {}, { app, ports } = makeApp(), waits = {}) => {
      const log = accessLog();
      const gateway = gatewayWith(app, settingsOf({ telemetry: log, ...options }, waits));
      const { more, ...answering } = await open(gateway, options);
      running.push({ answering, app });
      // `more` has the members that a served application of this suite has in addition to the
      // common ones.
      return { app, ports, url: answering.origin, log, ...more } as unknown as On;
    },
    fetch: async (url, init = {}) => {
      const { origin, pathname } = new URL(url);
      const served = running.find(({ answering }) => answering.origin === origin);
      if (served === undefined) throw new TypeError(`${origin} is not served`);
      const answer = await decoded(await served.answering.fetch(url, init));
      if (check !== undefined) {
        const text = await answer.clone().text();
        const { status, headers } = answer;
        check(served.app, { method: (init.method ?? "GET").toUpperCase(), path: pathname }, { status, headers, text });
      }
      return answer;
    },
    raw: async (port, bytes) => {
      const replies = parseReplies(await talk(port, bytes));
      const app = running.find(({ answering }) => new URL(answering.origin).port === String(port))?.app;
      const requests = requestsIn(Buffer.from(bytes));
      replies.forEach((reply, index) => {
        if (app !== undefined) check?.(app, requests[index], { ...reply, text: reply.body });
      });
      return replies;
    },
    parseReplies: parse,
  };
  return {
    trial,
    close: async () => {
      letGo();
      await Promise.all(running.map(({ answering }) => answering.close()));
    },
  };
};

const listening = async (gateway: Gateway, listener: RequestListener, options: HttpServerOptions = {}) => {
  const server = createGatewayServer(gateway, { ...options, listener });
  const { url, port } = await server.listen();
  return {
    origin: url,
    fetch: (target: string, init: RequestInit) => fetch(target, init),
    close: () => server.close({ graceMs: 0 }),
    more: { server, port },
  };
};

/**
 * Makes an adapter for the suite of messages from a listener: the requests travel over a server of
 * this machine.
 */
export const overServer =
  (adapter: ConnectionsAdapter): MessagesAdapter =>
  (gateway) =>
    listening(gateway, adapter(gateway));

/** Runs a case of messages and ends everything it served. */
export const tryMessages = async (
  keep: (trial: Trial) => Promise<void>,
  adapter: MessagesAdapter,
  check?: CheckAnswer,
): Promise<void> => {
  const { trial, close } = createStage<Served>(check, async (gateway) => ({ ...(await adapter(gateway)), more: {} }));
  await keep(trial).finally(close);
};

/** Runs a case of connections and ends everything it served. */
export const tryConnections = async (
  keep: (trial: Trial<ServedByServer>) => Promise<void>,
  adapter: ConnectionsAdapter,
  check?: CheckAnswer,
): Promise<void> => {
  const { trial, close } = createStage<ServedByServer>(check, (gateway, options) =>
    listening(gateway, adapter(gateway), options),
  );
  await keep(trial).finally(close);
};
