import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { App } from "@postern/app";
import type { HttpOptions } from "@postern/http";
import { nodeListener } from "@postern/http/node";
import Koa from "koa";
import { koaBody } from "koa-body";
import { afterEach, describe, expect, test } from "vitest";
import { bearer, expectProblem, json, makeApp, signUp, webhook } from "../../http/test/support/serve.ts";
import type { Deprecation } from "../../rest/src/index.ts";
import { koaMiddleware } from "../src/index.ts";

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

/**
 * Hosts that have a path of their own in front of Postern's, and shorten the URL as Express and
 * koa-mount do.
 */
const below: Readonly<Record<string, (app: App, options: HttpOptions) => RequestListener>> = {
  "a node listener below a path, as Express shortens it": (app, options) => {
    const listener = nodeListener(app, options);
    return (req, res) => {
      const originalUrl = req.url ?? "";
      if (!/^\/x(?=[/?]|$)/.test(originalUrl)) return void res.end("host");
      req.url = originalUrl.slice(2).replace(/^(?!\/)/, "/");
      void listener(Object.assign(req, { originalUrl }), res, () => res.end("host"));
    };
  },
  "Koa middleware below a path, as koa-mount shortens it": (app, options) => {
    const koa = new Koa();
    const postern = koaMiddleware(app, options);
    koa.use((ctx, next) => {
      if (!/^\/x(?=\/|$)/.test(ctx.path)) return next();
      ctx.path = ctx.path.slice(2) || "/";
      return postern(ctx, next);
    });
    koa.use((ctx) => {
      ctx.body = "host";
    });
    return koa.callback();
  },
};

/** Mounts with a base path alone. */
const withBasePath: typeof below = {
  "a node listener": (app, options) => {
    const listener = nodeListener(app, options);
    return (req, res) => void listener(req, res, () => res.end("host"));
  },
  "Koa middleware": (app, options) => {
    const koa = new Koa();
    koa.use(koaMiddleware(app, options));
    koa.use((ctx) => {
      ctx.body = "host";
    });
    return koa.callback();
  },
};

const roots = [
  ...Object.entries(withBasePath).map(([name, mount]) => [name, mount, "/postern", "/postern"] as const),
  ...Object.entries(below).map(([name, mount]) => [name, mount, "", "/x"] as const),
  ...Object.entries(below).map(([name, mount]) => [name, mount, "/tools/p.1", "/x/tools/p.1"] as const),
];

const deprecation: Deprecation = {
  id: "old-me",
  target: { version: "v1", operation: "users.read" },
  announced: "2026-01-01",
  deprecated: "2026-02-01",
  sunset: "2026-09-01",
  replacement: { version: "v2", operation: "users.read" },
  reason: "It is old.",
  migration: "Use v2.",
};

// One application below all roots: making its documents takes a second.
const shared = makeApp();
const deprecating = makeApp({ deprecations: [deprecation] });
let users = 0;
const user = (): string => {
  users += 1;
  return `user${users}`;
};

describe.each(roots)("%s %#", (_name, mount, basePath, root) => {
  test(`answers everything below ${root}, with links that stay there, and nothing else`, async () => {
    const url = await host(mount(shared.app, { basePath }));
    const { id, token } = await signUp(url + root, user());
    for (const path of ["/", "/api", "/api/mine", "/health/live", `${root}er/api`]) {
      expect(await (await fetch(url + path)).text(), path).toBe("host");
    }
    const made = await fetch(
      `${url}${root}/api/v2/users/me/posts`,
      json({ title: "T", body: "B" }, { headers: bearer(token) }),
    );
    expect(made.headers.get("location")).toMatch(new RegExp(`^${root}/api/v2/posts/[0-9a-f-]{36}$`));
    const again = await fetch(url + made.headers.get("location"), { headers: bearer(token) });
    expect(await again.json()).toMatchObject({ title: "T" });
    await fetch(`${url}${root}/api/v2/users/me/posts`, json({ title: "U", body: "B" }, { headers: bearer(token) }));
    const page = await fetch(`${url}${root}/api/v1/users/${id}/posts?limit=1`, { headers: bearer(token) });
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
    expect(next?.startsWith(`${root}/api/v1/users/`)).toBe(true);
    expect((await fetch(url + next, { headers: bearer(token) })).status).toBe(200);
    expect((await fetch(`${url}${root}/api/v2/webhooks/acme`, await webhook("{}"))).status).toBe(200);
    for (const path of ["/health/live", "/health/ready", "/api/v2/docs"]) {
      expect((await fetch(url + root + path)).status).toBe(200);
    }
    expect(await (await fetch(url + root)).json()).toMatchObject({ api: `${root}/api`, docs: `${root}/api/docs` });
    const problem = await expectProblem(await fetch(`${url}${root}/api/v2/nothing`), "route_not_found");
    expect(problem.instance).toBe(`${root}/api/v2/nothing`);
    expect(problem.type).toBe(`${root}/api/problems/route_not_found`);
    const forged = await fetch(`${url}${root}/api/webhooks/acme`, { method: "POST", body: "{}" });
    expect((await expectProblem(forged, "invalid_signature")).instance).toBe(`${root}/api/webhooks/acme`);
    const document = (await (await fetch(`${url}${root}/api/v2/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(document.servers.map((server) => server.url)).toEqual([`${root}/api/v2`]);
    const index = (await (await fetch(`${url}${root}/api`)).json()) as { versions: { docs: string }[] };
    for (const { docs } of index.versions) {
      const page = await (await fetch(url + docs)).text();
      const paths = [...page.matchAll(/(?:href|src|data-base)="(\/[^"]*)"/g)].map((match) => match[1] ?? "");
      expect(paths.length, page.slice(0, 600)).toBeGreaterThan(5);
      expect(paths.filter((path) => !path.startsWith(`${root}/api`))).toEqual([]);
      const assets = paths.filter((path) => path.includes("/assets/"));
      expect(assets.length).toBeGreaterThan(1);
      for (const asset of assets) expect((await fetch(url + asset)).status).toBe(200);
    }
    await expectProblem(await fetch(`${url}${root}/nothing`), "route_not_found");
  });

  test("leads to what is deprecated, and names requests in errors, below its root", async () => {
    const url = await host(mount(deprecating.app, { basePath }));
    const { token } = await signUp(url + root, user());
    for (const base of [`${root}/api`, `${root}/api/v1`]) {
      const me = await fetch(`${url}${base}/users/me`, { headers: bearer(token) });
      const links = [...(me.headers.get("link") ?? "").matchAll(/<([^>]+)>; rel="([a-z-]+)"/g)];
      expect(links.map(([, path, relation]) => [relation, path])).toEqual([
        ["deprecation", `${root}/api/deprecations/old-me`],
        ["sunset", `${root}/api/deprecations/old-me`],
        ["successor-version", `${root}/api/v2/users/me`],
      ]);
    }
    const document = await (await fetch(`${url}${root}/api/v1/openapi.json`)).text();
    expect(document).toContain(`"x-deprecation":"${root}/api/deprecations/old-me"`);
    const nothing = await expectProblem(await fetch(`${url}${root}/api/nothing`), "route_not_found");
    expect(nothing.detail).toContain(`GET ${root}/api says`);
    const stranger = await expectProblem(await fetch(`${url}${root}/api/users/me`), "unauthenticated");
    expect(stranger.detail).toContain(`POST ${root}/api/sessions gives`);
  });
});

test.each(["postern", "/postern/", "//", "/a/../b", "/a b", "/ä"])("the base path %j is refused", (basePath) => {
  expect(() => nodeListener(makeApp().app, { basePath })).toThrow(/basePath/);
  expect(() => koaMiddleware(makeApp().app, { basePath })).toThrow(/basePath/);
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
      expect(problem.detail).toContain("Mount the API in front of any body parser");
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
      seen.push(ctx.status, typeof ctx.body, ctx.state.postern.answer);
      ctx.set("x-outer", "yes");
    });
    koa.use(koaMiddleware(makeApp().app));
    const url = await host(koa.callback());
    const answer = await fetch(`${url}/api`);
    expect(answer.headers.get("x-outer")).toBe("yes");
    // Koa keeps its state until a slow reader has read everything: the rows are not in it.
    expect(seen).toEqual([200, "string", undefined]);
  });
});
