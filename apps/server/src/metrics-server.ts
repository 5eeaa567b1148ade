import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { sharedReading } from "./shared-reading.ts";

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Compares digests, which have the same length, in constant time. */
const isToken = (header: string | undefined, token: string): boolean => {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`));
};

/** How long a reader may take for its request, and how long it may take nothing of its answer. */
const patienceMs = 10_000;
/** Connections in all, and from one address. A collector needs one. */
const connections = { inAll: 100, ofAddress: 20 } as const;

/** Cuts the oldest connection of an address that has too many, or of all, so that a new reader always gets in. */
const boundConnections = (server: Server): void => {
  // In the order in which they came.
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const ofAddress = [...open].filter((one) => one.remoteAddress === address);
    const isTooMany = ofAddress.length > connections.ofAddress;
    if (isTooMany || open.size > connections.inAll) (isTooMany ? ofAddress : [...open])[0]?.destroy();
  });
};

/**
 * Serves `GET /metrics` in the Prometheus text format on a listener of its own, so that you can
 * keep it from the outside world by port or address. With a `token`, readers must send it as a
 * bearer token. `read` gives the text of an answer; everybody who asks within a second gets the same.
 * A connection has one answer. There are 100 of them at most, 20 from one address; beyond that the
 * oldest is cut.
 */
export const startMetricsServer = async (
  place: { readonly port: number; readonly host: string },
  read: () => Promise<string>,
  token: string | undefined,
  now: () => number = () => performance.now(),
): Promise<MetricsServer> => {
  const shared = sharedReading(read, now);
  const server = createServer({ connectionsCheckingInterval: 1_000 }, async (request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404, { "content-type": "text/plain" }).end("GET /metrics is all there is.\n");
      return;
    }
    if (token !== undefined && !isToken(request.headers.authorization, token)) {
      response.writeHead(401, { "content-type": "text/plain", "www-authenticate": "Bearer" });
      response.end("Send the token as `Authorization: Bearer …`.\n");
      return;
    }
    const text = await shared().catch(() => undefined);
    if (text === undefined) {
      response.writeHead(503, { "content-type": "text/plain", "retry-after": "1" }).end("There is no reading now.\n");
      return;
    }
    response.writeHead(200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-store",
    });
    response.end(text);
  });
  server.requestTimeout = patienceMs;
  server.setTimeout(patienceMs);
  // Answers that were pipelined would wait in memory for a reader that takes none.
  server.maxRequestsPerSocket = 1;
  server.on("dropRequest", (_request, socket) => socket.destroy());
  boundConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place.port, place.host, resolve);
  });
  // A listener on a port has this kind of address.
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
