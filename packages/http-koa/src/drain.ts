import type { Server as HttpServer } from "node:http";
import { Server as NetServer } from "node:net";
import type { Gateway } from "./gateway.ts";

/**
 * For how long connections on which nothing happens are still left open: a caller that is just sending its next request on one gets its answer, and
 * is told by it that the connection ends, in place of a reset.
 */
const quietMs = 500;

/**
 * Stops a server without resetting what is in flight: no further connections; every answer from now on closes its connection; connections without
 * a request are closed after a moment; whatever is left after `graceMs` is cut. Resolves when every connection is closed.
 */
export const drain = (server: HttpServer, gateway: Gateway, graceMs: number): Promise<void> => {
  gateway.draining = true;
  return new Promise((resolve) => {
    const quiet = setTimeout(() => server.closeIdleConnections(), Math.min(quietMs, graceMs));
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Connections that the kernel has accepted already are taken in this turn of the event loop; closing before would reset them.
    setImmediate(() => {
      // `http.Server.close` would close idle connections at once, which resets a request that is just arriving on one.
      NetServer.prototype.close.call(server, () => {
        clearTimeout(quiet);
        clearTimeout(cut);
        // Ends Node's own checking of time-outs, which `NetServer.close` does not know of.
        server.close();
        resolve();
      });
    });
  });
};
