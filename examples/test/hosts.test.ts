import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import express from "express";
import Koa from "koa";
import { koaBody } from "koa-body";
import { openPostern, type Postern } from "postern";
import { afterEach, describe, expect, test } from "vitest";
import { expressHost } from "../hosts/express.ts";
import { fastifyHost } from "../hosts/fastify.ts";
import { honoHost } from "../hosts/hono.ts";
import { koaHost } from "../hosts/koa.ts";
import { lambdaHandler } from "../hosts/lambda.ts";
import { nestHost } from "../hosts/nest.ts";
import { nextRoute } from "../hosts/next-route.ts";
import { nodeHost } from "../hosts/node.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
/** Neither JSON nor UTF-8: its signature is valid only if the host changes no byte. */
const body = Uint8Array.from([0, 255, 13, 10, 0xef, 0xbb, 0xbf, 123]);

const servers = new Set<Server>();
const opened = new Set<Postern>();
const directories = new Set<string>();
afterEach(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
  await Promise.all([...opened].map((postern) => postern.stop()));
  opened.clear();
  for (const directory of directories) rmSync(directory, { recursive: true });
  directories.clear();
});

const open = async (basePath: string): Promise<Postern> => {
  const directory = mkdtempSync(join(tmpdir(), "postern-host-"));
  directories.add(directory);
  const postern = await openPostern({
    database: `sqlite:${join(directory, "app.db")}`,
    secretKey: randomBytes(32),
    providers: { acme: { scheme: "standard-webhooks", secret } },
    signup: "open",
    workers: false,
    basePath,
  });
  opened.add(postern);
  return postern;
};

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
const next = (postern: Postern): RequestListener => {
  const route: Readonly<Record<string, (request: Request) => Promise<Response>>> = nextRoute(postern);
  return getRequestListener((request) =>
    new URL(request.url).pathname.startsWith("/postern")
      ? (route[request.method]?.(request) ?? new Response(null, { status: 405 }))
      : new Response("Your own page."),
  );
};

/** API Gateway in front of a Lambda function: what it gives the function, and takes from it. */
const gatewayTo = (postern: Postern): RequestListener => {
  const handler = lambdaHandler(postern);
  return getRequestListener(async (request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith("/postern")) return new Response("Your own page.");
    const bytes = Buffer.from(await request.arrayBuffer());
    const { statusCode, headers, body } = await handler({
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: Object.fromEntries(request.headers),
      ...(bytes.length === 0 ? {} : { body: bytes.toString("base64") }),
      isBase64Encoded: true,
      requestContext: { domainName: "api.example.com", http: { method: request.method, sourceIp: "192.0.2.1" } },
    });
    const isEmpty = request.method === "HEAD" || statusCode === 204;
    return new Response(isEmpty ? null : Buffer.from(body, "base64"), { status: statusCode, headers });
  });
};

/** Each host, with the base path that its Postern is opened with. */
const hosts: Readonly<Record<string, readonly [string, (postern: Postern) => Promise<string>]>> = {
  "node:http": ["/postern", (postern) => listening(nodeHost(postern))],
  "Express 5": ["", (postern) => listen(expressHost(postern))],
  "Koa 3": ["/postern", (postern) => listen(koaHost(postern).callback())],
  "Fastify 5": [
    "/postern",
    async (postern) => {
      const host = fastifyHost(postern);
      await host.ready();
      return listening(host.server);
    },
  ],
  "NestJS 12": [
    "",
    async (postern) => {
      const host = await nestHost(postern);
      await host.listen(0, "127.0.0.1");
      servers.add(host.getHttpServer());
      return host.getUrl();
    },
  ],
  Hono: ["/postern", (postern) => listen(getRequestListener((request, env) => honoHost(postern).fetch(request, env)))],
  "Next.js": ["/postern", (postern) => listen(next(postern))],
  Lambda: ["/postern", (postern) => listen(gatewayTo(postern))],
};

const signed = async (): Promise<RequestInit> => ({
  method: "POST",
  headers: {
    "content-type": "application/json",
    ...(await sign(standardWebhooks, { keys: secret, body, id: "msg_1" })),
  },
  body,
});

describe.each(Object.entries(hosts))("%s", (_name, [basePath, start]) => {
  test("hands webhooks over byte by byte, serves the API, and keeps its own pages", async () => {
    const postern = await open(basePath);
    const url = await start(postern);
    const answer = await fetch(`${url}/postern/api/webhooks/acme`, await signed());
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: "1" }]);
    expect(Buffer.from((await postern.ports.storage.events.find(1))?.body ?? [])).toEqual(Buffer.from(body));

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
const parsingFirst: Readonly<Record<string, (postern: Postern) => Promise<string>>> = {
  "Express 5": (postern) => listen(express().use(express.json(), postern.listener)),
  "Koa 3": (postern) => listen(new Koa().use(koaBody()).use(postern.koa).callback()),
  "a fetch handler": (postern) =>
    listen(
      getRequestListener(async (request) => {
        await request.text();
        return postern.fetch(request);
      }),
    ),
};

test.each(Object.entries(parsingFirst))("%s with a body parser in front says what is wrong", async (_name, start) => {
  const url = await start(await open(""));
  const answer = await fetch(`${url}/api/webhooks/acme`, { ...(await signed()), body: '{"a":1}' });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({
    detail: "The request body was read before it came to Postern. Mount Postern in front of any body parser.",
  });
});
