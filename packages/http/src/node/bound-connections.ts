import { IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { networkOf } from "@postern/rest";
import type { Gateway } from "../gateway.ts";
import { addressOf, connectionOf, networkOfRequest } from "./connections.ts";
import { createWaitingConnections } from "./waiting-connections.ts";

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/**
 * Bounds the connections of a server, in total and for each address. For IPv6, an address means its
 * /64 network. `refuse` answers a connection beyond the share of its address. When the server has
 * all the connections that it may have, the address with the most of them loses one that owes
 * nobody an answer. So no caller can shut out another. An address that wastes connections gets new
 * ones slowly for a while. The bounds for each address do not apply behind a proxy of your own, because
 * all connections come from the proxy. Call it before anything else listens to connections.
 * Returns a function that cuts the connections of a network whose chunked bodies have not come in full.
 */
export const boundConnections = (
  server: Server,
  gateway: Gateway,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  refuse: (socket: Socket) => void,
): ((network: string) => void) => {
  const byNetwork = new Map<string, Set<Socket>>();
  let count = 0;
  const hasProxy = gateway.settings.trustProxy > 0;
  const perAddress = hasProxy ? maxConnections : maxConnectionsPerAddress;
  const { waste } = gateway;
  const spokenOn = followHandshakes(server);

  /** Has the address with the most connections lose one, if it has more than `number`. */
  const makeRoom = (number: number): boolean => {
    const largest = largestOf(byNetwork);
    if (largest === undefined || largest.size <= number) return false;
    const chosen = leastNeeded(largest, spokenOn);
    chosen?.destroy();
    return chosen !== undefined;
  };

  const waiting = createWaitingConnections(gateway);
  // Node's own listener begins to read, and a connection that waits is not read.
  const readers = server.listeners("connection");
  server.removeAllListeners("connection");
  const read = (socket: Socket): void => {
    for (const reader of readers) reader.call(server, socket);
  };

  server.on("connection", (socket: Socket) => {
    const network = networkOf(addressOf(socket));
    const own = byNetwork.get(network) ?? new Set();
    if (own.size >= perAddress || (count >= maxConnections && !makeRoom(own.size + 1))) {
      // Node's own listener comes next and reads requests of it, which get no further answer.
      connectionOf(socket).ends = true;
      refuse(socket);
      return read(socket);
    }
    byNetwork.set(network, own.add(socket));
    count += 1;
    let isOutside = false;
    socket.once("close", () => {
      count -= 1;
      own.delete(socket);
      if (own.size === 0) byNetwork.delete(network);
      if (isOutside) return;
      const { hasAnswered, latest } = connectionOf(spokenOn(socket));
      if (hasAnswered) return;
      waste.note(network, latest?.waits === true && latest.req.complete ? "left" : "unanswered");
    });
    if (hasProxy || !waiting.isNeeded(network)) return read(socket);
    isOutside = true;
    const goOn = (): void => {
      isOutside = false;
      read(socket);
    };
    if (waiting.wait(network, socket, goOn)) return;
    waste.noteClosed();
    socket.destroy();
  });

  return (network) => {
    if (hasProxy) return;
    for (const socket of byNetwork.get(network) ?? []) {
      const req = connectionOf(spokenOn(socket)).latest?.req;
      if (req?.headers["transfer-encoding"] !== undefined && !req.complete) socket.destroy();
    }
  };
};

/**
 * Returns a function that finds the socket over which the requests of a connection come. Under TLS,
 * that is the socket that deciphers the accepted one.
 */
const followHandshakes = (server: Server): ((socket: Socket) => Socket) => {
  const shakingHands = new Map<string, Socket>();
  const deciphering = new WeakMap<Socket, Socket>();
  const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  if (server instanceof TlsServer) {
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      shakingHands.set(peer, socket);
      socket.once("close", () => {
        if (shakingHands.get(peer) === socket) shakingHands.delete(peer);
      });
    });
    server.on("secureConnection", (deciphered: Socket) => {
      const socket = shakingHands.get(peerOf(deciphered));
      if (socket !== undefined) deciphering.set(socket, deciphered);
    });
  }
  return (socket) => deciphering.get(socket) ?? socket;
};

const largestOf = (byNetwork: ReadonlyMap<string, Set<Socket>>): Set<Socket> | undefined => {
  let largest: Set<Socket> | undefined;
  for (const sockets of byNetwork.values()) if (sockets.size > (largest?.size ?? 0)) largest = sockets;
  return largest;
};

/**
 * The connection whose end does the least harm: the first one that is idle, or else the first one
 * whose request has not come in full, or whose reader leaves its answer unread. `undefined` if there
 * is none.
 */
const leastNeeded = (sockets: ReadonlySet<Socket>, spokenOn: (socket: Socket) => Socket): Socket | undefined => {
  let unfinished: Socket | undefined;
  for (const socket of sockets) {
    const { latest } = connectionOf(spokenOn(socket));
    if (latest === undefined) return socket;
    if (!latest.req.complete || latest.res.writableEnded) unfinished ??= socket;
  }
  return unfinished;
};

/** A caller that was told how long it may pause may be this much later, in milliseconds. */
const mostGraceMs = 2_000;

/**
 * Closes connections that have paused for too long between requests, but later than their callers
 * were told. A caller that sends right before the end of the pause, over a slow line, would meet the
 * end of its connection, and a proxy would make an error of it. Node alone closes them when their
 * time is over. If the event loop was busy at that moment, bytes that had come before would be lost,
 * and their sender would read of a reset instead of an answer.
 */
export const closeIdleConnections = (server: Server): void => {
  // With a listener, Node leaves it to the listener to close the connection.
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    // Timers come before what has arrived is read, and an immediate after it.
    const close = (): void => {
      setImmediate(() => {
        if (socket.bytesRead === bytesRead) socket.destroy();
      });
    };
    setTimeout(close, Math.min(server.keepAliveTimeout, mostGraceMs)).unref();
  });
};

/** Chunks shorter than this are counted. */
const smallBytes = 64;

/**
 * A request whose small chunks can be counted. Node makes requests of the class that a server is
 * given, and hands out by `push` what it has parsed of a body.
 */
export class CountedMessage extends IncomingMessage {
  /** Is told of each small chunk, and says whether the connection is cut for it. */
  cutsAtSmallChunk: (() => boolean) | undefined;

  override push(piece: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (piece === null || piece.length >= smallBytes || this.cutsAtSmallChunk?.() !== true) {
      return super.push(piece, encoding);
    }
    // `true` tells Node not to pause the socket, which is closed.
    return true;
  }
}

/**
 * Counts the small chunks of a body. Each takes a microsecond and 200 bytes for a while, even if
 * nobody reads the body. A connection is cut when its network has sent too many. Node parses pieces
 * of 64 KiB with up to 10,000 chunks, so only where it hands them out are they seen in time. Such a
 * piece may wait on each connection of the network, and all of them would be parsed before anybody
 * else has a turn. So `cutOthers` cuts those connections before they are read; a body that says its
 * length goes on, for it may be somebody else's behind the same address.
 */
export const countSmallChunks = (gateway: Gateway, req: CountedMessage, cutOthers: (network: string) => void): void => {
  const network = networkOfRequest(gateway, req);
  let isCut = false;
  req.cutsAtSmallChunk = () => {
    if (isCut) return true;
    isCut = gateway.waste.note(network, "smallChunk");
    if (!isCut) return false;
    req.socket.destroy();
    cutOthers(network);
    return true;
  };
};
