import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";

export interface Place {
  /** 0: any free one. */
  readonly port?: number;
  readonly host?: string;
}

/** Where a server really listens. */
export interface ListeningAt {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
}

/** Rejects when the address cannot be had. */
export const listen = (
  server: Server | TlsServer,
  { port = 0, host = "127.0.0.1" }: Place = {},
): Promise<ListeningAt> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
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
