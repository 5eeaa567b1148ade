import { type App, builtInVersions, createApp } from "@postern/app";
import type { Ports } from "@postern/core";
import { memoryPorts, virtualClock } from "@postern/core/memory";
import { createHttpServer, type HttpServer } from "@postern/http/node";
import { type Deprecation, renameEndpoint } from "@postern/rest";
import { afterEach, beforeEach, expect, test } from "vitest";

const person = { name: "Grace", email: "grace@example.com", password: "correct horse battery" };
const hour = 3_600_000;
const files = [
  { path: "", contentType: "text/html; charset=utf-8", text: '<script src="./assets/main-1a2b.js">', tag: '"page"' },
  { path: "assets/main-1a2b.js", contentType: "text/javascript", text: "export {};".repeat(200), tag: '"script"' },
];

let app: App;
let ports: Ports;
let server: HttpServer;
let url: string;
const clock = virtualClock(Date.parse("2026-11-28T12:00:00Z"));

beforeEach(async () => {
  const settings = { rateLimits: "off", console: { files, environment: "staging" } } as const;
  ports = { ...memoryPorts(), clock };
  app = createApp({ versions: builtInVersions, ports, settings });
  server = createHttpServer(app, { basePath: "/postern" });
  url = `${(await server.listen()).url}/postern`;
});
afterEach(() => server.close({ graceMs: 0 }));

const makeAdmin = () =>
  app.run({
    operation: "users.create",
    principal: { kind: "operator", name: "test" },
    body: { ...person, role: "admin" },
  });

/** What a browser sends with a request of the console's own page. */
const fromHere = (): Record<string, string> => ({ "sec-fetch-site": "same-origin", origin: new URL(url).origin });

const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = fromHere()) => {
  const response = await fetch(`${url}/console/${path}`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  return {
    status: response.status,
    body: JSON.parse(await response.text()),
    cookie: response.headers.get("set-cookie") ?? "",
  };
};

const signIn = async (): Promise<string> => {
  const { cookie } = await post("session", { step: "sign-in", email: person.email, password: person.password });
  return cookie.split(";")[0] ?? "";
};

const statusOfMe = async (token: string): Promise<number> =>
  (await fetch(`${url}/api/v2/users/me`, { headers: { authorization: `Bearer ${token}` } })).status;

test("`/` leads a browser to the console, and programs read where the API is", async () => {
  const asBrowser = await fetch(`${url}/`, { redirect: "manual", headers: { accept: "text/html" } });
  expect([asBrowser.status, asBrowser.headers.get("location")]).toEqual([302, "/postern/console/"]);
  expect(await (await fetch(`${url}/`)).json()).toMatchObject({ api: "/postern/api" });
});

test("neither spelling of the console's address leads to the other, and both find its files", async () => {
  for (const address of [`${url}/console`, `${url}/console/`]) {
    const page = await fetch(address, { redirect: "manual" });
    expect(page.status).toBe(200);
    const [, source = ""] = /src="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await fetch(new URL(source, address))).status).toBe(200);
  }
});

test("the page is asked for again, files with a hash in their name never, under a policy that lets nothing else in", async () => {
  const page = await fetch(`${url}/console/`);
  expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self';");
  expect(page.headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
  const script = await fetch(`${url}/console/assets/main-1a2b.js`, { headers: { "accept-encoding": "br" } });
  expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(script.headers.get("content-encoding")).toBe("br");
  const again = await fetch(`${url}/console/`, { headers: { "if-none-match": page.headers.get("etag") ?? "" } });
  expect(again.status).toBe(304);
});

test.each(["assets/../assets/main-1a2b.js", "assets/%2e%2e/index.html", "assets/other.js", "../package.json"])(
  "nothing but its own files is below the console: %s",
  async (path) => {
    const { hostname, port } = new URL(url);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      request({ hostname, port, path: `/postern/console/${path}` }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(404);
  },
);

test("a sign-in sets a cookie that scripts cannot read, and the cookie gives access tokens until the sign-out", async () => {
  await makeAdmin();
  const wrong = await post("session", { step: "sign-in", email: person.email, password: "wrong" });
  expect([wrong.status, wrong.cookie]).toEqual([401, ""]);
  const { status, body, cookie } = await post("session", { step: "sign-in", ...person });
  expect(status).toBe(200);
  expect(cookie).toMatch(/^postern-console=prt_[^;]+; Path=\/postern\/console; HttpOnly; SameSite=Strict$/);
  expect(await statusOfMe(body.access_token)).toBe(200);
  const headers = { ...fromHere(), cookie: cookie.split(";")[0] ?? "" };
  const renewed = await post("session", {}, headers);
  expect(renewed.body).toMatchObject({ environment: "staging", access_token: expect.any(String) });
  const ended = await post("session", { step: "end" }, headers);
  expect(ended.cookie).toContain("Max-Age=0");
  expect(await statusOfMe(renewed.body.access_token)).toBe(401);
  expect((await post("session", {}, headers)).body.access_token).toBeUndefined();
});

test("over TLS the cookie is for this host alone", async () => {
  await makeAdmin();
  const headers = { "sec-fetch-site": "same-origin", origin: "https://hooks.example.com" };
  const { cookie } = await post("session", { step: "sign-in", ...person }, headers);
  expect(cookie).toMatch(/^__Host-postern-console=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
});

test.each([
  ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
  ["another host of the same site", { "sec-fetch-site": "same-site", origin: "https://other.example.com" }],
  ["an older browser on another site", { origin: "https://evil.example" }],
  ["no browser", {}],
] as const)("a request of %s gets no token, even with the cookie", async (_who, sent) => {
  await makeAdmin();
  const cookie = await signIn();
  const { status, body } = await post("session", {}, { ...sent, cookie });
  expect([status, body.code, body.access_token]).toEqual([403, "forbidden", undefined]);
});

test("the API takes no cookie", async () => {
  await makeAdmin();
  const cookie = await signIn();
  const response = await fetch(`${url}/api/v2/users/me`, { headers: { ...fromHere(), cookie } });
  expect(response.status).toBe(401);
});

test("a session ends after eight hours in which nobody has done anything, though the page was open", async () => {
  await makeAdmin();
  const cookie = await signIn();
  const headers = { ...fromHere(), cookie };
  const isIn = async (fields = {}): Promise<boolean> => "access_token" in (await post("session", fields, headers)).body;
  await clock.advance(7 * hour);
  expect(await isIn({ step: "active" })).toBe(true);
  await clock.advance(7 * hour);
  expect(await isIn()).toBe(true);
  await clock.advance(1.1 * hour);
  expect(await isIn()).toBe(false);
});

test("the link of the first start makes one administrator, once, within 30 minutes", async () => {
  // Also before there is a link: the page says how to get one.
  expect((await post("session", {})).body.setup).toBe(true);
  const secret = await app.offerSetup();
  expect((await post("setup", { ...person, secret: "0".repeat(64) })).status).toBe(401);
  // A password that is refused does not use the link up.
  expect((await post("setup", { ...person, password: "password", secret })).status).toBe(400);
  const made = await post("setup", { ...person, secret });
  expect([made.status, made.cookie]).toEqual([200, expect.stringContaining("postern-console=")]);
  const me = await fetch(`${url}/api/v2/users/me`, { headers: { authorization: `Bearer ${made.body.access_token}` } });
  expect(await me.json()).toMatchObject({ email: person.email, role: "admin" });
  expect((await post("setup", { ...person, email: "eve@example.com", secret })).status).toBe(401);
  expect((await post("session", {})).body.setup).toBe(false);
});

test("another process makes the link, too, and an earlier one ends with it", async () => {
  const first = await app.offerSetup();
  const beside = createApp({ versions: builtInVersions, ports });
  const second = await beside.offerSetup();
  expect((await post("setup", { ...person, secret: first })).status).toBe(401);
  expect((await post("setup", { ...person, secret: second })).status).toBe(200);
  await expect(beside.offerSetup()).rejects.toThrow("There is an administrator already");
});

test("of two requests with one link, one makes an administrator", async () => {
  const secret = await app.offerSetup();
  const both = [person.email, "eve@example.com"].map((email) => post("setup", { ...person, email, secret }));
  expect((await Promise.all(both)).map(({ status }) => status).toSorted()).toEqual([200, 401]);
});

test("the link ends with its time, and when there is an administrator", async () => {
  const first = await app.offerSetup();
  await clock.advance(30 * 60_000);
  expect((await post("setup", { ...person, secret: first })).status).toBe(401);
  const second = await app.offerSetup();
  await makeAdmin();
  expect((await post("setup", { ...person, email: "eve@example.com", secret: second })).status).toBe(401);
});

/** A server whose newest version is v3, with v2 at its end or a field of v3 deprecated. */
const servedWith = async (deprecation: Pick<Deprecation, "target" | "sunset">) => {
  const dates = { announced: "2026-01-01", deprecated: "2026-01-02", replacement: { version: "v3" } } as const;
  const ended = { id: "old", ...dates, reason: "It is old.", migration: "Use v3.", ...deprecation };
  const change = { kind: "changed", title: "It.", why: "Why.", migration: "How." } as const;
  const effects = [renameEndpoint({ from: "/articles", to: "/posts" })];
  const versions = [
    ...builtInVersions,
    { id: "v3", released: "2026-11-22", changes: [{ id: "articles", ...change, effects }] },
  ] as const;
  const settings = { rateLimits: "off", enforceSunsets: "on", console: { files, environment: "staging" } } as const;
  await server.close({ graceMs: 0 });
  app = createApp({ ports, settings, versions, deprecations: [ended] });
  server = createHttpServer(app, { basePath: "/postern" });
  url = `${(await server.listen()).url}/postern`;
};

test("the console works in the newest version, which the server names, while an older one has ended", async () => {
  await servedWith({ target: { version: "v2" }, sunset: "2026-11-01" });
  await makeAdmin();
  const headers = { ...fromHere(), cookie: await signIn() };
  const { body } = await post("session", {}, headers);
  expect(body.version).toBe("v3");
  const read = (version: string, path: string) =>
    fetch(`${url}/api/${version}${path}`, { headers: { authorization: `Bearer ${body.access_token}` } });
  expect((await read("v2", "/admin/me")).status).toBe(410);
  expect(await (await read("v3", "/admin/me")).json()).toMatchObject({ email: person.email, role: "admin" });
});

test("requests of the console do not count as use of what is deprecated, those of others do", async () => {
  await makeAdmin();
  await servedWith({ target: { version: "v3", resource: "user", field: "name" }, sunset: "2027-11-01" });
  const { body } = await post("session", { step: "sign-in", email: person.email, password: person.password });
  const renewed = await post("session", {}, { ...fromHere(), cookie: await signIn() });
  const users = async (token: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` };
    for (const query of ["", "?fields=name"]) {
      expect((await fetch(`${url}/api/v3/users${query}`, { headers })).status).toBe(200);
    }
  };
  const clients = async () => {
    const principal = { kind: "operator", name: "test" } as const;
    const answer = await app.run({ operation: "admin.deprecations", principal });
    return Object(answer.body).data[0].clients;
  };
  await users(body.access_token);
  await users(renewed.body.access_token);
  expect(await clients()).toEqual([]);
  const credentials = JSON.stringify({ email: person.email, password: person.password });
  const headers = { "content-type": "application/json" };
  const session = await fetch(`${url}/api/v3/sessions`, { method: "POST", headers, body: credentials });
  await users(Object(await session.json()).access_token);
  expect(await clients()).toHaveLength(2);
});

test("sign-ins are in the audit log under a name of their own", async () => {
  await makeAdmin();
  await signIn();
  const principal = { kind: "operator", name: "test" } as const;
  const { body } = await app.run({
    operation: "admin.audit.list",
    principal,
    query: { "filter[action]": "console.sign-in" },
  });
  expect(Object(body).data).toMatchObject([{ action: "console.sign-in", result: "done" }]);
});
