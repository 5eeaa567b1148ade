import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port?: number;
  readonly host?: string;
}

/** Where a server listens; a port of 0 has become a real one. */
export interface ListeningAt {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
}

/**
 * How many connections the system keeps until the server takes them, unless the system's own bound
 * is lower. A caller that finds no room tries again only after a second, so there should always be
 * room.
 */
const backlog = 4_096;

/** Rejects when the address is taken, and when this machine does not have it. */
export const listen = (
  server: Server | TlsServer,
  { port = 0, host = "127.0.0.1" }: ListenOptions = {},
): Promise<ListeningAt> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog }, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") {
        return reject(new TypeError("the server does not listen on a network address"));
      }
      const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
      const scheme = "setSecureContext" in server ? "https" : "http";
      resolve({ host: address.address, port: address.port, url: `${scheme}://${shown}:${address.port}` });
    });
  });
