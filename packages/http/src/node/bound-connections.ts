import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientAddress, networkOf } from "../client-address.ts";
import type { Gateway } from "../gateway.ts";
import { latestOn } from "./node-exchange.ts";

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/**
 * Bounds the connections of a server, in all and for each address (of IPv6 addresses the /64). A
 * connection beyond the share of its address is answered by `refuse`. When all are taken, the
 * address with the most connections loses one, an idle one first, so that no caller shuts another
 * one out. Behind a proxy of your own the bound for each address does not hold: all connections are
 * the proxy's.
 */
export const boundConnections = (
  server: Server,
  gateway: Gateway,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  refuse: (socket: Socket) => void,
): void => {
  const byNetwork = new Map<string, Set<Socket>>();
  let count = 0;
  const perAddress = gateway.settings.trustProxy > 0 ? maxConnections : maxConnectionsPerAddress;

  server.on("connection", (socket: Socket) => {
    const network = networkOf(addressOf(socket));
    const own = byNetwork.get(network) ?? new Set();
    if (own.size >= perAddress) return refuse(socket);
    if (count >= maxConnections) {
      const largest = largestOf(byNetwork);
      if (largest === undefined || largest.size <= own.size + 1) return refuse(socket);
      giveWay(largest);
    }
    byNetwork.set(network, own.add(socket));
    count += 1;
    socket.once("close", () => {
      count -= 1;
      own.delete(socket);
      if (own.size === 0) byNetwork.delete(network);
    });
  });
};

const addressOf = (socket: Socket): string =>
  clientAddress({ address: socket.remoteAddress ?? "unknown", headers: {} }, 0);

const largestOf = (byNetwork: ReadonlyMap<string, Set<Socket>>): Set<Socket> | undefined => {
  let largest: Set<Socket> | undefined;
  for (const sockets of byNetwork.values()) if (sockets.size > (largest?.size ?? 0)) largest = sockets;
  return largest;
};

/** Closes a connection without a request, or else the oldest. */
const giveWay = (sockets: ReadonlySet<Socket>): void => {
  let chosen: Socket | undefined;
  for (const socket of sockets) {
    chosen ??= socket;
    if (latestOn(socket)?.res.writableFinished !== false) {
      chosen = socket;
      break;
    }
  }
  chosen?.destroy();
};
