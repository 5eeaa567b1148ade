import { type Agent, type IncomingMessage, request } from "node:http";
import { request as requestOverTls } from "node:https";

/** The address of a server. */
export interface Place {
  readonly port: number;
  /** The certificate of a server that speaks TLS, as PEM. */
  readonly ca?: string | undefined;
}

export interface Sent extends Place {
  readonly method: string;
  readonly path: string;
  /** The address that the request comes from. */
  readonly from: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: a connection of its own. */
  readonly agent?: Agent;
  /** Default 10,000. */
  readonly timeoutMs?: number;
}

export interface Reply {
  /** 0 if no answer came. */
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  readonly ms: number;
}

/**
 * Sends a request as an ordinary client does, and reads its answer. It never rejects. It keeps up
 * to 64 KiB of the text.
 */
export const send = (wish: Sent): Promise<Reply> =>
  new Promise((resolve) => {
    const { port, ca, method, path, from, headers, body, agent, timeoutMs = 10_000 } = wish;
    const startedAt = performance.now();
    let text = "";
    let bytes = 0;
    const end = (status: number): void => {
      clearTimeout(timer);
      resolve({ status, text, bytes, ms: performance.now() - startedAt });
    };
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const sent = (ca === undefined ? request : requestOverTls)({
      ...(ca === undefined ? {} : { ca }),
      host: "127.0.0.1",
      port,
      method,
      path,
      localAddress: from,
      agent: agent ?? false,
      headers: { ...json, ...headers },
    });
    const timer = setTimeout(() => sent.destroy(new Error("no answer in time")), timeoutMs);
    sent.on("error", () => end(0));
    sent.on("response", (response: IncomingMessage) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        bytes += chunk.length;
        if (text.length < 65_536) text += chunk;
      });
      response.on("end", () => end(response.statusCode ?? 0));
      response.on("error", () => end(0));
    });
    sent.end(body);
  });
