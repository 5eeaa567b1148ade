import type { Server as HttpServer } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Gateway } from "../gateway.ts";
import { connectionOf } from "./connections.ts";

/**
 * Connections on which nothing happens stay open for this long. A caller that is just sending its
 * next request on one gets an answer instead of a reset. The answer tells it that the connection
 * ends.
 */
const quietMs = 500;

/**
 * Stops a server without resetting requests in flight. It takes no further connections; every
 * answer from now on closes its connection; connections without a request are closed after a
 * moment; whatever is left after `graceMs` is cut. Resolves when every connection is closed.
 */
export const createDrain = (
  server: HttpServer,
  gateway: Gateway,
  requestsSoFar: () => number,
): ((graceMs: number) => Promise<void>) => {
  /** The sockets that came with an event and are still open. */
  const openOn = (event: "connection" | "secureConnection"): ReadonlySet<Socket> => {
    const sockets = new Set<Socket>();
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    return sockets;
  };
  const accepted = openOn("connection");
  const open = "setSecureContext" in server ? openOn("secureConnection") : accepted;

  const closeQuiet = () => {
    server.closeIdleConnections();
    // To Node, a connection that was never used looks like one whose request is just beginning, so
    // Node leaves it open. Under TLS the two look the same to us, too.
    for (const socket of open) {
      const { requests } = connectionOf(socket);
      if (requests === 0 && ("encrypted" in socket || socket.bytesRead === 0)) socket.destroy();
    }
  };

  /** Closes what is quiet; while requests still come in on open connections, waits once more. */
  const whenQuiet = async (wait: () => void): Promise<void> => {
    const before = requestsSoFar();
    // After a stall the timer fires before the bytes that arrived meanwhile are read; a few turns
    // of the loop read them first.
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (requestsSoFar() === before) closeQuiet();
    else wait();
  };

  return (graceMs) =>
    new Promise((resolve) => {
      let quiet: NodeJS.Timeout;
      const wait = (): void => {
        quiet = setTimeout(() => void whenQuiet(wait), Math.min(quietMs, graceMs));
      };
      wait();
      const cut = setTimeout(() => {
        server.closeAllConnections();
        // Node does not know connections that are still at their TLS handshake.
        for (const socket of accepted) socket.destroy();
      }, graceMs);
      gateway.readiness.stop();
      // Connections that the kernel has accepted already are taken in this turn of the event loop;
      // closing before would reset them.
      setImmediate(() => {
        // `http.Server.close` would close idle connections at once, which resets a request that is
        // just arriving on one.
        NetServer.prototype.close.call(server, () => {
          clearTimeout(quiet);
          clearTimeout(cut);
          // Ends Node's own checks for time-outs, which `NetServer.close` leaves running.
          server.close();
          resolve();
        });
        // Set this only now. A caller that is told to close its connection opens a new one, and the
        // close would reset that one if it had come before.
        gateway.beginDraining();
      });
    });
};
