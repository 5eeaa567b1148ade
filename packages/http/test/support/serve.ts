import type { RequestListener } from "node:http";
import { type App, type AppOptions, createApp } from "@postern/app";
import { defineProvider, type Telemetry } from "@postern/core";
import { type LogEntry, type MemoryPorts, memoryPorts, memoryTelemetry } from "@postern/core/memory";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { afterEach } from "vitest";
import { createGateway, type Gateway } from "../../src/index.ts";
import { createGatewayServer, gatewayListener, type HttpServer, type HttpServerOptions } from "../../src/node/index.ts";

import { checkAnswersOf } from "./contract-check.ts";

export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const acme = defineProvider({ name: "acme", verifier: createVerifier(standardWebhooks, { keys: secret }) });

export interface Served {
  readonly app: App;
  readonly ports: MemoryPorts;
  readonly server: HttpServer;
  readonly url: string;
  readonly port: number;
  /** The access log: one line for each request. */
  readonly log: AccessLog;
}

interface AccessLog extends Telemetry {
  readonly lines: readonly LogEntry[];
  /** Resolves when there are this many lines. */
  reach(count: number): Promise<void>;
}

const accessLog = (): AccessLog => {
  const memory = memoryTelemetry();
  let waiting: { count: number; resolve: () => void }[] = [];
  const lines = () => memory.entries.filter(({ message }) => message === "request");
  return {
    ...memory,
    get lines() {
      return lines();
    },
    log: (...entry) => {
      memory.log(...entry);
      const { length } = lines();
      for (const { count, resolve } of waiting) if (length >= count) resolve();
      waiting = waiting.filter(({ count }) => length < count);
    },
    reach: (count) =>
      new Promise((resolve) => {
        if (lines().length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
};

/** How requests come from a server to the gateway. Another package's tests put their adapter here. */
export const adapter: { listener: (gateway: Gateway) => RequestListener } = { listener: gatewayListener };

const running = new Set<HttpServer>();

afterEach(async () => {
  await Promise.all([...running].map((server) => server.close({ graceMs: 0 })));
  running.clear();
});

export const makeApp = (
  options: Partial<AppOptions> = {},
  instead: Partial<MemoryPorts> = {},
): { app: App; ports: MemoryPorts } => {
  const ports = memoryPorts(instead);
  const app = createApp({ ports, providers: [acme], settings: { rateLimits: "off" }, ...options });
  return { app, ports };
};

/** A server on a free port, with everything behind it in memory; closed after the test. */
export const serve = async (
  http: HttpServerOptions = {},
  { app, ports }: { app: App; ports: MemoryPorts } = makeApp(),
): Promise<Served> => {
  const log = accessLog();
  const gateway = createGateway(app, { telemetry: log, ...http });
  const server = createGatewayServer(gateway, { ...http, listener: adapter.listener(gateway) });
  running.add(server);
  const { url, port } = await server.listen();
  checkAnswersOf(url, app);
  return { app, ports, server, url, port, log };
};

export const json = (body: unknown, init: RequestInit = {}): RequestInit => ({
  method: "POST",
  ...init,
  headers: { "content-type": "application/json", ...init.headers },
  body: JSON.stringify(body),
});

export const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

const password = "correct horse battery";

/** Signs up and signs in over HTTP. */
export const signUp = async (url: string, name = "ann"): Promise<{ id: string; token: string }> => {
  const email = `${name}@example.com`;
  const made = await fetch(`${url}/api/users`, json({ name, email, password }));
  const { id } = (await made.json()) as { id: string };
  const signedIn = await fetch(`${url}/api/sessions`, json({ email, password }));
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  return { id, token };
};

/** A webhook of `acme`, signed by the sender's side of Standard Webhooks. */
export const webhook = async (body: string | Uint8Array<ArrayBuffer>, id = "msg_1"): Promise<RequestInit> => ({
  method: "POST",
  headers: { "content-type": "application/json", ...(await sign(standardWebhooks, { keys: secret, body, id })) },
  body,
});
