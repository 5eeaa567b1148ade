import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import express from "express";
import Fastify from "fastify";
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
import { nodeHost } from "../hosts/node.ts";
import { hostWithOwnRoute } from "../hosts/who-is-signed-in.ts";
import worker from "../hosts/worker.ts";

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

/** API Gateway (HTTP API, payload 2.0) in front of a Lambda function: what it gives the function, and takes from it. */
const gatewayTo = (postern: Postern): RequestListener => {
  const handler = lambdaHandler(postern);
  return getRequestListener(async (request) => {
    const { pathname, search } = new URL(request.url);
    const bytes = Buffer.from(await request.arrayBuffer());
    const { statusCode, headers, body, isBase64Encoded } = await handler({
      version: "2.0",
      routeKey: "$default",
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: Object.fromEntries(request.headers),
      body: bytes.length === 0 ? null : bytes.toString("base64"),
      isBase64Encoded: true,
      requestContext: {
        accountId: "1",
        apiId: "1",
        authentication: null,
        authorizer: {},
        domainName: "api.example.com",
        domainPrefix: "api",
        http: { method: request.method, path: pathname, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "" },
        requestId: "1",
        routeKey: "$default",
        stage: "$default",
        time: "",
        timeEpoch: 0,
      },
    });
    const isEmpty = request.method === "HEAD" || statusCode === 204;
    const answered = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
    return new Response(isEmpty ? null : answered, { status: statusCode, headers: { ...headers } });
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

describe.each(Object.entries(hosts))("%s", (name, [basePath, start]) => {
  test("hands webhooks over byte by byte, serves the API, and keeps its own pages", async () => {
    const postern = await open(basePath);
    const url = await start(postern);
    const answer = await fetch(`${url}/postern/api/webhooks/acme`, await signed());
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: "1" }]);
    expect(Buffer.from((await postern.ports.storage.events.find(1))?.body ?? [])).toEqual(Buffer.from(body));

    const user = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(user) };
    const made = await fetch(`${url}/postern/api/v1/users`, json);
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toMatch(/^\/postern\/api\/v1\/users\//);
    const head = await fetch(`${url}/postern/health/live`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const own = await fetch(`${url}/api/mine`);
    if (name === "NestJS 12") expect(await own.json()).toMatchObject({ message: "Cannot GET /api/mine" });
    else expect(await own.text()).toBe("Your own page.");
  });
});

/** Hosts that read the body before Postern can. */
const parsingFirst: Readonly<Record<string, (postern: Postern) => Promise<string>>> = {
  "Express 5": (postern) => listen(express().use(express.json(), postern.listener)),
  "Koa 3": (postern) => listen(new Koa().use(koaBody()).use(postern.koa).callback()),
  "Fastify 5": async (postern) => {
    const host = Fastify();
    // A handler runs after the parsers, a hook before them.
    host.post("/api/*", (request, reply) => postern.listener(request.raw, reply.raw));
    await host.ready();
    return listening(host.server);
  },
  "NestJS 12": async (postern) => {
    @Module({})
    class AppModule {}
    const host = await NestFactory.create(AppModule, { logger: ["error"] });
    host.use(express.json(), postern.nest);
    await host.init();
    return listening(host.getHttpServer());
  },
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
    detail: "The request body was read before it came to this API. Mount the API in front of any body parser.",
  });
});

test("without a prefix all of /api is Postern's, and every other path the host's", async () => {
  const url = await listening(nodeHost(await open("")));
  const answer = await fetch(`${url}/api/mine`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: "route_not_found" }]);
  expect(await (await fetch(`${url}/mine`)).text()).toBe("Your own page.");
});

test("two instances in one host have prefixes, databases and events of their own", async () => {
  const [one, two] = [await open(""), await open("")];
  const url = await listen(express().use("/one", one.listener).use("/two", two.listener));
  for (const [path, id] of [
    ["one", "1"],
    ["two", "1"],
    ["two", "1"],
  ]) {
    const answer = await fetch(`${url}/${path}/api/webhooks/acme`, await signed());
    expect(await answer.json()).toMatchObject({ id });
  }
  const countOf = async ({ ports }: Postern) => (await ports.storage.events.list({ after: 0, limit: 9 })).length;
  expect([await countOf(one), await countOf(two)]).toEqual([1, 1]);
});

test("a Worker answers 200 to a signed webhook, and 401 to a forged one", async () => {
  const keys = "whsec_0123456789abcdef";
  const text = JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid", data: { object: {} } });
  const headers = await sign(stripe, { keys, body: text });
  const send = (sent: string) =>
    worker.fetch(new Request("https://example.com/", { method: "POST", headers: { ...headers }, body: sent }), {
      STRIPE_SECRET: keys,
    });
  const forged = text.replace("paid", "void");
  expect([(await send(text)).status, (await send(forged)).status]).toEqual([200, 401]);
});

test("a route of the application's own knows who is signed in, and Express answers a wrong credential", async () => {
  const url = await listen(hostWithOwnRoute(await open("")));
  const send = async (path: string, sent: Record<string, unknown>): Promise<Record<string, string>> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/postern/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(sent) });
    return Object(await answer.json());
  };
  const account = { email: "ann@example.com", password: "correct horse battery" };
  const { id } = await send("/users", { name: "Ann", ...account });
  const { access_token } = await send("/sessions", account);
  const ask = async (authorization?: string) => {
    const answer = await fetch(`${url}/greeting`, { headers: authorization === undefined ? {} : { authorization } });
    return { status: answer.status, text: await answer.text(), asked: answer.headers.get("www-authenticate") };
  };
  expect(await ask(`Bearer ${access_token}`)).toMatchObject({ status: 200, text: `Hello ${id}, you are a user.` });
  expect(await ask()).toMatchObject({ status: 401, text: "Sign in first." });
  expect(await ask("Bearer nonsense")).toMatchObject({ status: 401, asked: expect.stringContaining("invalid_token") });
});
