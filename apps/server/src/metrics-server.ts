import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Compares digests, which have the same length, in constant time. */
const isToken = (header: string | undefined, token: string): boolean => {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`));
};

/**
 * Serves `GET /metrics` in the Prometheus text format on a listener of its own, so that you can
 * keep it from the outside world by port or address. With a `token`, readers must send it as a
 * bearer token. `read` gives the text of each answer.
 */
export const startMetricsServer = async (
  place: { readonly port: number; readonly host: string },
  read: () => Promise<string>,
  token: string | undefined,
): Promise<MetricsServer> => {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404, { "content-type": "text/plain" }).end("GET /metrics is all there is.\n");
      return;
    }
    if (token !== undefined && !isToken(request.headers.authorization, token)) {
      response.writeHead(401, { "content-type": "text/plain", "www-authenticate": "Bearer" });
      response.end("Send the token as `Authorization: Bearer …`.\n");
      return;
    }
    const text = await read();
    response.writeHead(200, {
      "content-type": "text/plain; version=0.0.4; charset=utf-8",
      "cache-control": "no-store",
    });
    response.end(text);
  });
  server.requestTimeout = 10_000;
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
