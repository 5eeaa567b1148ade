import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { networkOf } from "@postern/rest";
import { clientAddress } from "../client-address.ts";
import type { Gateway } from "../gateway.ts";
import { hasAnswered, latestOn } from "./connections.ts";
import { turns } from "./fair-turns.ts";

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

export interface BoundedConnections {
  /**
   * Cuts the connections of the network of `socket` that no request is answered on: those that are
   * idle, and those that a body in chunks comes over. Behind a proxy of your own it cuts none: they
   * are the proxy's, and so is `socket`.
   */
  cutUnproven(socket: Socket): void;
}

/**
 * When a network has this part of the connections that it may have, each new one lets another begin.
 * A connection that its caller has reset shows that only once it has begun, and counts until then.
 */
const nearShare = 0.9;

/**
 * Bounds the connections of a server, in total and for each address. For IPv6, an address means its
 * /64 network. `refuse` answers a connection beyond the share of its address. When the server has
 * all the connections that it may have, the address with the most of them loses one that owes
 * nobody an answer. So no caller can shut out another. An address that wastes connections may open
 * only a few new ones. The bounds for each address do not apply behind a proxy of your own, because
 * all connections come from the proxy. Connections begin in turns; see `FairTurns`.
 */
export const boundConnections = (
  server: Server,
  gateway: Gateway,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  refuse: (socket: Socket) => void,
): BoundedConnections => {
  const byNetwork = new Map<string, Set<Socket>>();
  let count = 0;
  const hasProxy = gateway.settings.trustProxy > 0;
  const perAddress = hasProxy ? maxConnections : maxConnectionsPerAddress;
  const { newConnections } = gateway;
  const spokenOn = followHandshakes(server);

  /** Has the address with the most connections lose one, if it has more than `number`. */
  const makeRoom = (number: number): boolean => {
    const largest = largestOf(byNetwork);
    if (largest === undefined || largest.size <= number) return false;
    const chosen = leastNeeded(largest, spokenOn);
    chosen?.destroy();
    return chosen !== undefined;
  };

  beforeOthers(server, (socket, goOn) => {
    const network = networkOf(addressOf(socket));
    if (!hasProxy && !newConnections.admits(network)) return socket.destroy();
    const own = byNetwork.get(network) ?? new Set();
    if (own.size >= nearShare * perAddress) turns.beginConnectionOf(network);
    if (own.size >= perAddress || (count >= maxConnections && !makeRoom(own.size + 1))) {
      // The caller may have gone. Nothing else listens to this socket.
      socket.on("error", () => undefined);
      // With bytes of the caller unread, closing would reset the connection, and the answer be lost.
      socket.resume();
      return refuse(socket);
    }
    const begin = (): void => {
      if (socket.destroyed) return;
      goOn();
      socket.resume();
    };
    turns.connect(network, begin);
    byNetwork.set(network, own.add(socket));
    count += 1;
    socket.once("close", () => {
      turns.disconnect(network, begin);
      count -= 1;
      own.delete(socket);
      if (own.size === 0) byNetwork.delete(network);
      if (hasAnswered(spokenOn(socket))) return;
      const latest = latestOn(spokenOn(socket));
      if (latest?.nodeExchange?.waits === true && latest.req.complete) newConnections.noteLeft(network);
      else newConnections.noteUnanswered(network);
    });
  });
  return {
    cutUnproven: (socket) => {
      if (hasProxy) return;
      for (const other of byNetwork.get(networkOf(addressOf(socket))) ?? []) {
        const spoken = spokenOn(other);
        if (spoken !== socket && isUnproven(spoken)) other.destroy();
      }
    },
  };
};

/** Whether the next bytes of a connection may be chunks of a body. */
const isUnproven = (socket: Socket): boolean => {
  const latest = latestOn(socket);
  if (latest === undefined || latest.res.writableFinished) return true;
  return !latest.req.complete && latest.req.headers["transfer-encoding"] !== undefined;
};

/** Node documents `pauseOnConnect` only as an option of `createServer` in `node:net`. */
type PausingServer = Server & { pauseOnConnect: boolean };

/**
 * Shows each connection to `take` before the server's own listeners see it. A connection gets a
 * parser or a TLS handshake only when `take` calls `goOn`. Both cost more than the connection
 * itself. Nothing is read of it until `take` resumes it.
 */
const beforeOthers = (server: Server, take: (socket: Socket, goOn: () => void) => void): void => {
  (server as PausingServer).pauseOnConnect = true;
  const others = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) =>
    take(socket, () => {
      for (const listener of others) listener.call(server, socket);
    }),
  );
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

const addressOf = (socket: Socket): string =>
  clientAddress({ address: socket.remoteAddress ?? "unknown", headers: {} }, 0);

const largestOf = (byNetwork: ReadonlyMap<string, Set<Socket>>): Set<Socket> | undefined => {
  let largest: Set<Socket> | undefined;
  for (const sockets of byNetwork.values()) if (sockets.size > (largest?.size ?? 0)) largest = sockets;
  return largest;
};

/**
 * The connection whose end does the least harm: the first one that is idle, or else the first one
 * whose request has not come in full, or whose reader leaves its answer unread. `undefined` if there
 * is none: a connection that waits for its turn to be read may bring a whole request.
 */
const leastNeeded = (sockets: ReadonlySet<Socket>, spokenOn: (socket: Socket) => Socket): Socket | undefined => {
  let unfinished: Socket | undefined;
  for (const socket of sockets) {
    const spoken = spokenOn(socket);
    const latest = latestOn(spoken);
    if (latest === undefined || latest.res.writableFinished) {
      if (!spoken.isPaused()) return socket;
    } else if (!latest.req.complete || latest.res.writableEnded) unfinished ??= socket;
  }
  return unfinished;
};
