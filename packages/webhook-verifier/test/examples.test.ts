import { type ChildProcess, fork } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { afterEach, describe, expect, test } from "vitest";
import { webhook as fastifyWebhook } from "../examples/fastify.ts";
import { webhook as honoWebhook } from "../examples/hono.ts";
import { webhook as koaWebhook } from "../examples/koa.ts";
import { webhook as nextWebhook } from "../examples/next.ts";
import { webhook as nodeWebhook } from "../examples/node-http.ts";
import { schemes } from "../src/all-schemes.ts";
import { createVerifier, type Delivery, sign } from "../src/index.ts";

const keys = "a secret that only the two know";
const body = '{"type":"url_verification","challenge":"c-1"}';
const event = '{ "type": "event_callback", "event_id": "Ev1", "event": { "type": "ü" } }';

type Send = (init: { method: string; headers?: Record<string, string>; body?: string }) => Promise<Response>;
type Mount = (handle: (delivery: Delivery) => void) => Promise<Send>;

const open: Server[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
  for (const server of open.splice(0)) server.close();
});

const listening = async (listener: RequestListener): Promise<Send> => {
  const server = createServer(listener);
  open.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return (init) => fetch(`http://127.0.0.1:${port}/hook`, init);
};

const verifier = createVerifier(schemes.slack, { keys });

const mounts: Record<string, Mount> = {
  "node:http": (handle) => listening(nodeWebhook(verifier, handle)),
  Express: async (handle) => {
    const script = fileURLToPath(new URL("servers/express.mjs", import.meta.url));
    const child = fork(script, [keys], { execArgv: ["--conditions=@postern/source", "--import", "tsx"] });
    children.push(child);
    const port = await new Promise<number>((done) => {
      child.on("message", (message: { port?: number }) => {
        if (message.port === undefined) handle(message as Delivery);
        else done(message.port);
      });
    });
    return (init) => fetch(`http://127.0.0.1:${port}/hook`, init);
  },
  Fastify: async (handle) => {
    const app = fastify();
    await app.register(fastifyWebhook("/hook", verifier, handle));
    await app.ready();
    return listening((request, response) => app.server.emit("request", request, response));
  },
  Koa: async (handle) => {
    const app = new Koa();
    app.use(koaWebhook(verifier, handle));
    return listening(app.callback());
  },
  Hono: async (handle) => {
    const app = new Hono();
    app.all("/hook", honoWebhook(verifier, handle));
    return async (init) => app.request("https://hooks.example.com/hook", init);
  },
  Next: async (handle) => {
    const route = nextWebhook(verifier, handle);
    return (init) => route(new Request("https://hooks.example.com/hook", init));
  },
};

for (const [name, mount] of Object.entries(mounts))
  describe(name, () => {
    test("hands on an authentic delivery byte by byte and answers 200", async () => {
      const handled: Delivery[] = [];
      const send = await mount((delivery) => void handled.push(delivery));
      const headers = await sign(schemes.slack, { keys, body: event, headers: { "content-type": "application/json" } });
      expect((await send({ method: "POST", headers, body: event })).status).toBe(200);
      await expect.poll(() => handled.map(({ id, type }) => [id, type]), { timeout: 10_000 }).toEqual([["Ev1", "ü"]]);
    });

    test("answers the handshake, and 401 to what is not authentic", async () => {
      const handled: Delivery[] = [];
      const send = await mount((delivery) => void handled.push(delivery));
      const headers = await sign(schemes.slack, { keys, body, headers: { "content-type": "application/json" } });
      const answer = await send({ method: "POST", headers, body });
      expect([answer.status, await answer.text()]).toEqual([200, "c-1"]);
      expect((await send({ method: "POST", headers, body: event })).status).toBe(401);
      expect((await send({ method: "POST" })).status).toBe(401);
      expect(handled).toEqual([]);
    });
  });
