import type { IncomingMessage } from "node:http";
import type { Gateway } from "../gateway.ts";
import { networkOfRequest } from "./connections.ts";

/** Chunks shorter than this are counted. */
const smallBytes = 64;

/**
 * Counts the small chunks of a body. Each takes a microsecond and 200 bytes for a while, even if
 * nobody reads the body. A connection is cut when its network has sent too many. Node hands out what
 * it has parsed by `push`, in pieces of 64 KiB with up to 10,000 chunks, so only there are they seen
 * in time.
 */
export const countSmallChunks = (gateway: Gateway, req: IncomingMessage): void => {
  if (req.headers["transfer-encoding"] === undefined) return;
  const network = networkOfRequest(gateway, req);
  const push = req.push.bind(req);
  let isCut = false;
  req.push = (piece, encoding) => {
    // `true` tells Node not to pause the socket, which is closed.
    if (isCut) return true;
    isCut = piece !== null && piece.length < smallBytes && gateway.waste.note(network, "smallChunk");
    if (!isCut) return push(piece, encoding);
    req.socket.destroy();
    return true;
  };
};
