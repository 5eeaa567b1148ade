import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { networkOf } from "@postern/rest";
import { clientAddress } from "../client-address.ts";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import type { HttpAnswer } from "../http-request.ts";
import { turns } from "./fair-turns.ts";

/** A request on its connection. */
export interface NodeExchange {
  readonly exchange: Exchange;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /**
   * What the server answered on the connection itself, when the rest of the request was malformed
   * or too slow.
   */
  cutOff: HttpAnswer | undefined;
  /** Whether it waits for its turn of the event loop, or did so when its caller left. */
  waits: boolean;
}

/** A request and its place on its connection. */
export interface PlacedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** 1 for the first request of a connection. */
  readonly number: number;
  /** True for a request beyond what may be pipelined. It is refused, and the connection ends. */
  readonly isRefused: boolean;
  /** `undefined` while the request waits for the answers before its own. */
  nodeExchange: NodeExchange | undefined;
}

interface Waiting {
  readonly placed: PlacedRequest;
  readonly gateway: Gateway;
  readonly network: string;
  /** Whether it counts against the share of its network. */
  readonly isCounted: boolean;
  begin(): void;
  /** Answers in its stead, if the rest of the request was malformed or too slow. */
  fault: (() => void) | undefined;
}

/** What is known of a connection that has had a request. */
interface Connection {
  /**
   * The newest request. A fault that Node finds on the connection belongs to it. `undefined` once
   * it has been answered and is no longer needed.
   */
  latest: PlacedRequest | undefined;
  /** The request that has begun last. All answers before its own have left. */
  begun: PlacedRequest | undefined;
  /** Requests that came over the connection so far. */
  requests: number;
  /** Pipelined requests that have not begun. The request before the first of them is `begun`. */
  readonly waiting: Waiting[];
  /**
   * True once an answer ends the connection. Whatever the caller sent after that request gets no
   * answer.
   */
  ends: boolean;
}

/**
 * So many requests of a connection wait without being counted. So callers that pipeline hundreds
 * cannot keep the others from pipelining a few.
 */
const uncounted = 4;

const connections = new WeakMap<Duplex, Connection>();

/** Connections whose caller has had an answer before the newest request. */
const answered = new WeakSet<Duplex>();

/** Whether an earlier answer ends the connection of a request. The request then gets no answer. */
export const comesTooLate = (req: IncomingMessage, res: ServerResponse): boolean => {
  const connection = connections.get(req.socket);
  return connection?.ends === true && connection.begun?.res !== res;
};

/** Call this for an answer that is sent without an exchange. */
export const noteAnswered = (socket: Duplex): void => {
  answered.add(socket);
};

/** Whether any answer has left on a connection. */
export const hasAnswered = (socket: Duplex): boolean =>
  answered.has(socket) || latestOn(socket)?.res.writableFinished === true;

/** The newest request of a connection; maybe `undefined` when it has been answered. */
export const latestOn = (socket: Duplex): PlacedRequest | undefined => connections.get(socket)?.latest;

/** A request that has begun, and its place; `undefined` for one that has not. */
export const placeOf = (req: IncomingMessage, res: ServerResponse): PlacedRequest | undefined => {
  const begun = connections.get(req.socket)?.begun;
  return begun?.res === res ? begun : undefined;
};

/** Whether a connection has had a request. */
export const wasUsed = (socket: Duplex): boolean => connections.has(socket);

/**
 * Forgets a request that has been answered in full, if it is the newest of its connection. A
 * connection may stay idle for long, and the request, its answer and all that belongs to them take
 * as much memory as ten connections.
 */
export const forgetAnswered = (req: IncomingMessage, res: ServerResponse): void => {
  const connection = connections.get(req.socket);
  if (connection?.latest?.res !== res || !res.writableFinished || !req.complete) return;
  noteAnswered(req.socket);
  connection.latest = undefined;
  connection.begun = undefined;
};

/** Whether all answers before that of a request have left. */
export const hasBegun = ({ req, res }: PlacedRequest): boolean => placeOf(req, res) !== undefined;

/** Whether nothing can be sent to the caller of a request any more. */
export const isGone = ({ socket }: IncomingMessage): boolean => socket.writable === false;

/** The network of the caller whose connection, or whose proxy's connection, a request came over. */
export const networkOfRequest = (gateway: Gateway, { headers, socket }: IncomingMessage): string =>
  networkOf(clientAddress({ address: socket.remoteAddress ?? "unknown", headers }, gateway.settings.trustProxy));

/**
 * Takes a request in. Returns `undefined` if it may begin at once. Otherwise returns a promise that
 * resolves when the answers before its own have left, or when the connection is gone. So requests
 * that were pipelined are answered one after the other, and only one answer waits for a caller that
 * does not read. A request that has begun may be passed again, and begins at once.
 *
 * Up to 1,000 requests come in one turn of the event loop. So a request waits as Node has made it,
 * and nothing else is done about it until its turn.
 */
export const turnOf = (gateway: Gateway, req: IncomingMessage, res: ServerResponse): Promise<void> | undefined => {
  const connection = connections.get(req.socket) ?? noteConnection(req.socket);
  if (connection.begun?.res === res) return undefined;
  const { latest } = connection;
  connection.requests += 1;
  const number = connection.requests;
  if (latest?.res.writableFinished) noteAnswered(req.socket);
  if (latest === undefined || latest.res.writableFinished || latest.res.destroyed) {
    connection.latest = { req, res, number, isRefused: false, nodeExchange: undefined };
    connection.begun = connection.latest;
    return undefined;
  }
  const network = networkOfRequest(gateway, req);
  const isTooMany = number > gateway.settings.maxRequestsPerConnection;
  const isCounted = !isTooMany && connection.waiting.length >= uncounted && gateway.pipelined.take(network, 1);
  const isRefused = isTooMany || (!isCounted && connection.waiting.length >= uncounted);
  const placed = { req, res, number, isRefused, nodeExchange: undefined };
  connection.latest = placed;
  if (isRefused) connection.ends = true;
  return new Promise((begin) => {
    if (connection.waiting.length === 0) latest.res.once("close", () => beginNext(connection));
    connection.waiting.push({ placed, gateway, network, isCounted, begin, fault: undefined });
  });
};

const noteConnection = (socket: Duplex): Connection => {
  turns.noteFirstRequest();
  const connection = { latest: undefined, begun: undefined, requests: 0, waiting: [], ends: false };
  connections.set(socket, connection);
  return connection;
};

const beginNext = (connection: Connection): void => {
  for (let next = connection.waiting.shift(); next !== undefined; next = connection.waiting.shift()) {
    const { placed, gateway, network, isCounted, begin, fault } = next;
    if (isCounted) gateway.pipelined.release(network, 1);
    connection.begun = placed;
    if (!isGone(placed.req)) fault?.();
    begin();
    // Node tells only the answer under way that its connection is gone. So the rest learns of it here.
    if (!isGone(placed.req)) {
      if (connection.waiting.length > 0) placed.res.once("close", () => beginNext(connection));
      return;
    }
  }
};

/** Has `answer` answer the newest request of a connection, which waits, when its turn comes. */
export const answerInTurn = (socket: Duplex, answer: () => void): void => {
  const last = connections.get(socket)?.waiting.at(-1);
  if (last !== undefined) last.fault = answer;
};

/**
 * Whether the answer to a request that has begun is the last of its connection: it is a refusal, or
 * the connection has carried as many requests as it may, and nothing was sent behind this one.
 */
export const isLastOf = ({ settings }: Gateway, { req, number, isRefused }: PlacedRequest): boolean => {
  const connection = connections.get(req.socket);
  if (connection === undefined || isRefused) return isRefused;
  if (number < settings.maxRequestsPerConnection || connection.requests !== number) return false;
  connection.ends = true;
  return true;
};
