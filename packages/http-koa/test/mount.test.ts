import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { App } from "@postern/core";
import Koa from "koa";
import { koaBody } from "koa-body";
import { afterEach, describe, expect, test } from "vitest";
import { koaMiddleware, nodeListener } from "../src/index.ts";
import { expectProblem } from "./support/problem.ts";
import { bearer, json, makeApp, signUp, webhook } from "./support/serve.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const host = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  // A server that listens on a port has an address of this kind.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** The ways to mount Postern: each in front of something that answers "host". */
const mounts: Readonly<Record<string, (app: App) => RequestListener>> = {
  "Koa middleware": (app) => {
    const koa = new Koa();
    koa.use(koaMiddleware(app));
    koa.use((ctx) => {
      ctx.body = "host";
    });
    return koa.callback();
  },
  "a node listener with next": (app) => {
    const listener = nodeListener(app);
    return (req, res) => void listener(req, res, () => res.end("host"));
  },
  "a node listener below a path, as Express shortens it": (app) => {
    const listener = nodeListener(app);
    return (req, res) => {
      const originalUrl = req.url ?? "";
      if (originalUrl.startsWith("/api")) req.url = originalUrl.slice(4) || "/";
      void listener(Object.assign(req, { originalUrl }), res, () => res.end("host"));
    };
  },
};

describe.each(Object.entries(mounts))("%s", (_name, mount) => {
  test("answers the API, webhooks and health, and leaves the rest to its host", async () => {
    const url = await host(mount(makeApp().app));
    const { id, token } = await signUp(url);
    const me = await fetch(`${url}/api/v2/users/me`, { headers: bearer(token) });
    expect(await me.json()).toMatchObject({ id });
    expect((await fetch(`${url}/api/webhooks/acme`, await webhook("{}"))).status).toBe(200);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    await expectProblem(await fetch(`${url}/api/nothing`), "route_not_found");
    for (const path of ["/", "/other", "/apis", "/health"]) expect(await (await fetch(url + path)).text()).toBe("host");
  });

  test("refuses a body over the limit", async () => {
    const url = await host(mount(makeApp().app));
    await expectProblem(await fetch(`${url}/api/users`, json("x".repeat(2_000_000))), "content_too_large");
  });
});

describe("a listener without next", () => {
  test("answers every path", async () => {
    const listener = nodeListener(makeApp().app);
    const url = await host((req, res) => void listener(req, res));
    expect((await fetch(url)).status).toBe(200);
    await expectProblem(await fetch(`${url}/other`), "route_not_found");
  });
});

describe("behind a body parser", () => {
  test("says what is wrong, to the caller and in the log", async () => {
    const { app, ports } = makeApp();
    const koa = new Koa();
    koa.use(koaBody());
    koa.use(koaMiddleware(app));
    const url = await host(koa.callback());
    for (const [path, init] of [
      ["/api/users", json({ name: "a" })],
      ["/api/webhooks/acme", await webhook("{}")],
    ] as const) {
      const problem = await expectProblem(await fetch(url + path, init), "internal_error");
      expect(problem.detail).toContain("Mount Postern in front of any body parser");
    }
    expect(ports.telemetry.entries.filter(({ level }) => level === "error").length).toBe(2);
  });

  test("a request without a body is served all the same", async () => {
    const koa = new Koa();
    koa.use(koaBody());
    koa.use(koaMiddleware(makeApp().app));
    const url = await host(koa.callback());
    expect((await fetch(`${url}/api`)).status).toBe(200);
  });
});

describe("within another Koa application", () => {
  test("middleware around it sees the answer and may add to it", async () => {
    const koa = new Koa();
    const seen: unknown[] = [];
    koa.use(async (ctx, next) => {
      await next();
      seen.push(ctx.status, typeof ctx.body);
      ctx.set("x-outer", "yes");
    });
    koa.use(koaMiddleware(makeApp().app));
    const url = await host(koa.callback());
    const answer = await fetch(`${url}/api`);
    expect(answer.headers.get("x-outer")).toBe("yes");
    expect(seen).toEqual([200, "string"]);
  });
});
