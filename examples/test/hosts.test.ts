import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "@postern/app";
import { defineProvider } from "@postern/core";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import type { HttpApp } from "@postern/http";
import { fetchHandler } from "@postern/http/fetch";
import { nodeListener } from "@postern/http/node";
import { koaMiddleware } from "@postern/http-koa";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import express from "express";
import Koa from "koa";
import { koaBody } from "koa-body";
import { afterEach, describe, expect, test } from "vitest";
import { expressHost } from "../hosts/express.ts";
import { fastifyHost } from "../hosts/fastify.ts";
import { honoHost } from "../hosts/hono.ts";
import { koaHost } from "../hosts/koa.ts";
import { nextRoute } from "../hosts/next-route.ts";
import { nodeHost } from "../hosts/node.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const acme = defineProvider({ name: "acme", verifier: createVerifier(standardWebhooks, { keys: secret }) });
/** Neither JSON nor UTF-8: its signature is valid only if the host changes no byte. */
const body = Uint8Array.from([0, 255, 13, 10, 0xef, 0xbb, 0xbf, 123]);

const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
});

const listening = async (server: Server): Promise<string> => {
  servers.add(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The address of a server that listens on a port has this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const listen = (listener: RequestListener) => listening(createServer(listener));

/**
 * Next.js itself is not started: a route handler is a file of functions, and Next.js calls them by
 * method.
 */
const next = (app: HttpApp): RequestListener => {
  const route: Readonly<Record<string, (request: Request) => Promise<Response>>> = nextRoute(app);
  return getRequestListener((request) =>
    new URL(request.url).pathname.startsWith("/postern")
      ? (route[request.method]?.(request) ?? new Response(null, { status: 405 }))
      : new Response("Your own page."),
  );
};

const hosts: Readonly<Record<string, (app: HttpApp) => Promise<string>>> = {
  "node:http": (app) => listening(nodeHost(app)),
  "Express 5": (app) => listen(expressHost(app)),
  "Koa 3": (app) => listen(koaHost(app).callback()),
  "Fastify 5": async (app) => {
    const host = fastifyHost(app);
    await host.ready();
    return listening(host.server);
  },
  Hono: (app) => listen(getRequestListener((request, env) => honoHost(app).fetch(request, env))),
  "Next.js": (app) => listen(next(app)),
};

const makeApp = (): { app: HttpApp; ports: MemoryPorts } => {
  const ports = memoryPorts();
  return { app: createApp({ ports, providers: [acme] }), ports };
};

const signed = async (): Promise<RequestInit> => ({
  method: "POST",
  headers: {
    "content-type": "application/json",
    ...(await sign(standardWebhooks, { keys: secret, body, id: "msg_1" })),
  },
  body,
});

describe.each(Object.entries(hosts))("%s", (_name, open) => {
  test("hands webhooks over byte by byte, serves the API, and keeps its own pages", async () => {
    const { app, ports } = makeApp();
    const url = await open(app);
    const answer = await fetch(`${url}/postern/api/webhooks/acme`, await signed());
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: "1" }]);
    expect(Buffer.from((await ports.storage.events.find(1))?.body ?? [])).toEqual(Buffer.from(body));

    const user = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(user) };
    const made = await fetch(`${url}/postern/api/v2/users`, json);
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toMatch(/^\/postern\/api\/v2\/users\//);
    const head = await fetch(`${url}/postern/health/live`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(await (await fetch(`${url}/api/mine`)).text()).toBe("Your own page.");
  });
});

/** Hosts that read the body before Postern can. */
const parsingFirst: Readonly<Record<string, (app: HttpApp) => Promise<string>>> = {
  "Express 5": (app) => listen(express().use(express.json(), nodeListener(app))),
  "Koa 3": (app) => listen(new Koa().use(koaBody()).use(koaMiddleware(app)).callback()),
  "a fetch handler": (app) => {
    const postern = fetchHandler(app);
    return listen(
      getRequestListener(async (request) => {
        await request.text();
        return postern(request);
      }),
    );
  },
};

test.each(Object.entries(parsingFirst))("%s with a body parser in front says what is wrong", async (_name, open) => {
  const url = await open(makeApp().app);
  const answer = await fetch(`${url}/api/webhooks/acme`, { ...(await signed()), body: '{"a":1}' });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({
    detail: "The request body was read before it came to Postern. Mount Postern in front of any body parser.",
  });
});
