import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { networkOf } from "@postern/rest";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import { clientAddress } from "../head/request-head.ts";
import type { HttpAnswer } from "../http-request.ts";

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
}

/** A request and its place on its connection. */
export interface PlacedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Why it is not answered: `too-many` is refused, and nothing is sent for one that came `too-late`. */
  readonly refused: "too-many" | "too-late" | undefined;
  /** Resolves when the answers before its own have left; `undefined` if they have already. */
  readonly turn: Promise<void> | undefined;
  /** Whether it has begun, so nothing that came before it is still to be sent. */
  hasBegun: boolean;
  /** Set while the request waits for its turn of the event loop. */
  waits: boolean;
  /** Answers in its stead, if the rest of the request was malformed or too slow. */
  fault: (() => void) | undefined;
  nodeExchange: NodeExchange | undefined;
}

interface Connection {
  /**
   * The newest request. A fault that Node finds on the connection belongs to it. `undefined` once
   * it has been answered: a connection may stay idle for long, and a request takes as much memory as
   * ten connections.
   */
  latest: PlacedRequest | undefined;
  /** Requests that came over the connection so far. */
  requests: number;
  /** Pipelined requests that have not begun. */
  waiting: number;
  /** Requests that came after the one that ends the connection. */
  late: number;
  /** True once an answer ends the connection. Whatever came after that request gets no answer. */
  ends: boolean;
  /** Whether any answer has left, also one that was sent without an exchange. */
  hasAnswered: boolean;
}

/** So many requests may wait behind the one that is answered. */
const mostPipelined = 16;
/** Beyond so many that get no answer, the connection is cut at once, and those that wait get none either. */
const mostLate = 256;
/** A connection ends now and then, so that those of a proxy spread over the processes of a server. */
export const mostRequests = 1_000;

const connections = new WeakMap<Duplex, Connection>();

export const connectionOf = (socket: Duplex): Connection => {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const connection = { latest: undefined, requests: 0, waiting: 0, late: 0, ends: false, hasAnswered: false };
  connections.set(socket, connection);
  return connection;
};

/** The address at the other end of a connection. */
export const addressOf = (socket: Duplex): string =>
  clientAddress({ address: (socket as Partial<Socket>).remoteAddress ?? "unknown", headers: {} }, 0);

/** The network of the caller whose connection, or whose proxy's connection, a request came over. */
export const networkOfRequest = (gateway: Gateway, { headers, socket }: IncomingMessage): string =>
  networkOf(clientAddress({ address: socket.remoteAddress ?? "unknown", headers }, gateway.settings.trustProxy));

/**
 * When a connection closes, Node makes an error for each request that was not answered. A read may have
 * held 1,400 of them, and the stacks of their errors take longer than all else that the connection cost.
 * So these errors have none.
 */
const closeWithoutStacks = (socket: Socket): void => {
  let limit = Error.stackTraceLimit;
  // Node's own listener is between the two, and all three run in one go.
  socket.prependOnceListener("close", () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.once("close", () => {
    Error.stackTraceLimit = limit;
  });
};

/**
 * Gives a request its place on its connection. Requests that were pipelined are answered one after
 * the other, so that only one answer waits for a caller that does not read. Beyond 16 of them the
 * connection ends.
 */
export const placeRequest = (gateway: Gateway, req: IncomingMessage, res: ServerResponse): PlacedRequest => {
  const connection = connectionOf(req.socket);
  const { latest: before } = connection;
  connection.requests += 1;
  const isTooLate = connection.ends;
  const waits = before !== undefined && !before.res.writableFinished && !before.res.destroyed;
  const isTooMany = connection.waiting >= mostPipelined || connection.requests > mostRequests;
  if (isTooMany && !isTooLate) {
    connection.ends = true;
    // What has been read already is parsed to its end; nothing more is.
    req.socket.pause();
    closeWithoutStacks(req.socket);
    if (connection.waiting >= mostPipelined) gateway.waste.note(networkOfRequest(gateway, req), "pipelined");
  }
  const placed: PlacedRequest = {
    req,
    res,
    refused: isTooLate ? "too-late" : isTooMany ? "too-many" : undefined,
    // If the connection breaks, Node tells only the answer under way. Those that wait are forgotten.
    turn: waits && !isTooLate ? new Promise((begin) => before.res.once("close", begin)) : undefined,
    hasBegun: !waits,
    waits: false,
    fault: undefined,
    nodeExchange: undefined,
  };
  if (isTooLate) {
    connection.late += 1;
    // Node keeps 3 kB for each until the connection ends, and a read of it may hold 1,400.
    if (connection.late > mostLate) req.socket.destroy();
    return placed;
  }
  connection.latest = placed;
  if (waits) connection.waiting += 1;
  void placed.turn?.then(() => {
    connection.waiting -= 1;
    placed.hasBegun = true;
  });
  res.once("close", () => {
    if (!res.writableFinished) return;
    connection.hasAnswered = true;
    if (connection.latest === placed && req.complete) connection.latest = undefined;
  });
  return placed;
};

/**
 * Whether the answer to a request that has begun is the last of its connection: it is a refusal, or
 * the connection has carried as many requests as it may.
 */
export const isLastOf = ({ req, refused }: PlacedRequest): boolean => {
  const connection = connectionOf(req.socket);
  if (refused !== undefined) return true;
  if (connection.requests < mostRequests || connection.waiting > 0) return false;
  connection.ends = true;
  return true;
};
