import type { IncomingMessage, Server } from "node:http";
import { networkOf } from "@postern/rest";
import { clientAddress } from "../client-address.ts";
import type { Gateway } from "../gateway.ts";
import type { BoundedConnections } from "./bound-connections.ts";

/** Chunks shorter than this are counted. */
const smallBytes = 64;

/** The error code that `clientError` gets when a caller has sent too many small chunks. */
export const smallChunksCode = "POSTERN_SMALL_CHUNKS";

/**
 * Counts the small chunks of a body. Each costs Node about a microsecond, even if nothing reads the
 * body: a single connection that sends chunks of one byte would keep the event loop busy. A
 * connection is cut when its network has sent more than `maxSmallChunksPerMinute`, and so are the
 * others of its network that may do the same next.
 *
 * Node parses what has come over a connection in pieces of 64 KiB, in each of which chunks of one
 * byte take about 10 ms, and cannot be stopped within a piece.
 */
export const countSmallChunks = (
  gateway: Gateway,
  server: Server,
  connections: BoundedConnections,
  req: IncomingMessage,
): void => {
  if (req.headers["transfer-encoding"] === undefined) return;
  const { socket } = req;
  const address = socket.remoteAddress ?? "unknown";
  const network = networkOf(clientAddress({ address, headers: req.headers }, gateway.settings.trustProxy));
  // Node passes each chunk to this method, even if nobody listens.
  const push = req.push.bind(req);
  let isCut = false;
  req.push = (piece, encoding) => {
    // `true` tells Node not to pause the socket, which is about to be closed.
    if (isCut) return true;
    isCut = piece !== null && piece.length < smallBytes && gateway.smallChunks.note(network);
    if (!isCut) return push(piece, encoding);
    // Otherwise Node would read on until the answer has left: 2 MiB in this turn of the event loop.
    req._read = ignore;
    socket.pause();
    connections.cutUnproven(socket);
    server.emit("clientError", Object.assign(new Error("too many small chunks"), { code: smallChunksCode }), socket);
    return true;
  };
};

const ignore = (): void => undefined;
