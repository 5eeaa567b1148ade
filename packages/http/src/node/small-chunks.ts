import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Gateway } from "../gateway.ts";
import type { BoundedConnections } from "./bound-connections.ts";
import { networkOfRequest } from "./connections.ts";

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
 * Node parses what has come over a connection in pieces of 64 KiB, each with up to 10,000 chunks of
 * one byte, and cannot be stopped within a piece. Once a connection is cut, the chunks that are left
 * of its piece are not handed out, which takes a tenth of the time.
 */
export const countSmallChunks = (
  gateway: Gateway,
  server: Server,
  connections: BoundedConnections,
  req: IncomingMessage,
): void => {
  if (req.headers["transfer-encoding"] === undefined) return;
  const { socket } = req;
  const network = networkOfRequest(gateway, req);
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
    handOutNoMore(socket);
    connections.cutUnproven(socket);
    server.emit("clientError", Object.assign(new Error("too many small chunks"), { code: smallChunksCode }), socket);
    return true;
  };
};

/** Node's parser. It calls the member with the number `kOnBody` for each chunk. Both are not documented. */
interface Parser {
  readonly constructor: { readonly kOnBody?: unknown };
  [callback: number]: unknown;
}

/**
 * Has the parser of a connection hand out no more of the bytes that it was given. Where a version of
 * Node has no such parser, it hands out all of them.
 */
const handOutNoMore = ({ parser }: Socket & { readonly parser?: Parser | null }): void => {
  const kOnBody = parser?.constructor.kOnBody;
  if (!parser || typeof kOnBody !== "number") return;
  const onBody = parser[kOnBody];
  parser[kOnBody] = undefined;
  // Node uses the parser again for another connection, but not before this one is closed.
  setImmediate(() => {
    parser[kOnBody] = onBody;
  });
};

const ignore = (): void => undefined;
