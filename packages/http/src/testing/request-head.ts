import assert from "node:assert/strict";
import { appToRead, bearer, json, makeApp, signUp } from "./app-under-test.ts";
import { assertContains, assertMatches } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { lines } from "./raw.ts";
import type { ServedByServer, Trial } from "./trial.ts";

let tried = 0;

/** Uses another account each time, because each account has a limit of its own. */
const tryToSignIn = (trial: Trial, url: string, forwarded?: string) =>
  trial.fetch(
    `${url}/api/sessions`,
    json(
      { email: `a${tried++}@example.com`, password: "wrong password" },
      forwarded === undefined ? {} : { headers: { "x-forwarded-for": forwarded } },
    ),
  );

/** The status of the try after the limit of 20 is used up by `forwarded(0..19)`. */
const after20 = async (trial: Trial, trustProxy: number, forwarded: (index: number) => string, last: string) => {
  const limited = makeApp({ settings: { rateLimits: "on" } });
  const { url } = await trial.serve({ trustProxy }, limited);
  for (let index = 0; index < 20; index++) assert.equal((await tryToSignIn(trial, url, forwarded(index))).status, 401);
  return (await tryToSignIn(trial, url, last)).status;
};

export const headMessages: Cases = {
  "request id: a well-formed id from the caller is kept, on success and on error": async (trial) => {
    const { url } = await trial.serve();
    const headers = { "x-request-id": "trace-1234.A_b" };
    assert.equal((await trial.fetch(`${url}/api`, { headers })).headers.get("x-request-id"), "trace-1234.A_b");
    const problem = await expectProblem(await trial.fetch(`${url}/nowhere`, { headers }), "route_not_found");
    assert.equal(problem.request_id, "trace-1234.A_b");
  },
  ...eachOf(
    "request id: a malformed id is replaced: %s",
    ["short", "a".repeat(129), "with space", 'quo"te-1234', "semi;colon-1234"],
    async (trial, id) => {
      const { url } = await trial.serve({ requestId: () => "made-here-1" });
      const answer = await trial.fetch(`${url}/api`, { headers: { "x-request-id": id } });
      assert.equal(answer.headers.get("x-request-id"), "made-here-1");
    },
  ),
  "credentials: a bearer token lets its user in, with the scheme in upper or lower case": async (trial) => {
    const { url } = await trial.serve();
    const { id, token } = await signUp(trial, url);
    for (const scheme of ["Bearer", "bearer"]) {
      const answer = await trial.fetch(`${url}/api/users/me`, { headers: { authorization: `${scheme} ${token}` } });
      assert.equal(answer.status, 200);
      assertMatches(await answer.json(), { id });
    }
  },
  "credentials: a request without a credential is asked for one": async (trial) => {
    const { url } = await trial.serve();
    const answer = await trial.fetch(`${url}/api/users/me`);
    await expectProblem(answer, "unauthenticated");
    assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="postern"');
  },
  "credentials: another scheme is refused and asked for the right one": async (trial) => {
    const { url } = await trial.serve();
    for (const authorization of ["Basic YTpi", "Token abc", "abc"]) {
      const answer = await trial.fetch(`${url}/api/users/me`, { headers: { authorization } });
      await expectProblem(answer, "unauthenticated");
      assert.equal(answer.headers.get("www-authenticate"), 'Bearer realm="postern"');
    }
  },
  "credentials: a token in the query or in a cookie does not count": async (trial) => {
    const { url } = await trial.serve();
    const { token } = await signUp(trial, url);
    const answers = [
      await trial.fetch(`${url}/api/users/me`, { headers: { cookie: `access_token=${token}; token=${token}` } }),
      await trial.fetch(`${url}/api/users/me?access_token=${token}`),
    ];
    for (const answer of answers) await expectProblem(answer, "unauthenticated");
  },
  ...eachOf(
    "accept: JSON is given to %s",
    [undefined, "*/*", "", " ", ",", "application/json", "application/*", "application/pdf, */*;q=0.1"],
    async (trial, accept) => {
      const { url } = await trial.serve();
      const answer = await trial.fetch(`${url}/api`, accept === undefined ? {} : { headers: { accept } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    },
  ),
  ...eachOf(
    "accept: a request that excludes JSON is refused, still with a JSON problem: %s",
    ["text/html", "application/xml", "nonsense", "application/json;q=0", "application/json;q=0, */*"],
    async (trial, accept) => {
      const { url } = await trial.serve({}, appToRead());
      await expectProblem(await trial.fetch(`${url}/api/v2/openapi.json`, { headers: { accept } }), "not_acceptable");
    },
  ),
  "accept: the docs are HTML for a caller that accepts HTML or anything": async (trial) => {
    const { url } = await trial.serve({}, appToRead());
    for (const accept of ["text/html", "*/*", "text/html,application/xhtml+xml;q=0.9"]) {
      const answer = await trial.fetch(`${url}/api/v2/docs`, { headers: { accept } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
    }
    await expectProblem(
      await trial.fetch(`${url}/api/v2/docs`, { headers: { accept: "application/pdf" } }),
      "not_acceptable",
    );
  },
  "the URL: the query reaches the operation decoded, repeats included": async (trial) => {
    const { url } = await trial.serve();
    const { token } = await signUp(trial, url);
    for (const query of ["fields=name%2Cemail", "fields=name&fields=email"]) {
      const fields = await trial.fetch(`${url}/api/users/me?${query}`, { headers: bearer(token) });
      const sent = Object.keys((await fields.json()) as object);
      for (const name of ["name", "email"]) assertContains(sent, name);
    }
    const twice = await trial.fetch(`${url}/api/users/me/posts?limit=1&limit=1`, { headers: bearer(token) });
    await expectProblem(twice, "invalid_parameter");
  },
  "security headers: are on JSON, on errors and on pages": async (trial) => {
    const { url } = await trial.serve({}, appToRead());
    for (const path of ["/api", "/nowhere", "/health/live", "/api/v1/docs"]) {
      const { headers } = await trial.fetch(url + path);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assertContains(headers.get("content-security-policy"), "default-src 'none'");
      assert.equal(headers.has("server"), false);
      assert.equal(headers.has("x-powered-by"), false);
    }
  },
  "security headers: a page keeps the policy its handler gave": async (trial) => {
    const { url } = await trial.serve({}, appToRead());
    const policy = (await trial.fetch(`${url}/api/v2/docs`)).headers.get("content-security-policy");
    assert.notEqual(policy, "default-src 'none'; frame-ancestors 'none'");
  },
  "security headers: only the caller's own cache may keep personal data, and must ask before each use": async (
    trial,
  ) => {
    const { url } = await trial.serve();
    const { token } = await signUp(trial, url);
    const answer = await trial.fetch(`${url}/api/users/me`, { headers: bearer(token) });
    assert.equal(answer.headers.get("cache-control"), "private, no-cache");
    assertContains(answer.headers.get("vary"), "Authorization");
  },
  "the caller's address: is the socket's, whatever a header says": async (trial) => {
    assert.equal(await after20(trial, 0, (index) => `192.0.2.${index}`, "192.0.2.99"), 429);
  },
  "the caller's address: is the entry the outermost trusted proxy wrote": async (trial) => {
    assert.equal(
      await after20(trial, 2, (index) => `10.9.9.${index}, 192.0.2.1, 10.0.0.1`, "10.9.9.99, 192.0.2.1, 10.0.0.1"),
      429,
    );
    assert.equal(await after20(trial, 2, () => "192.0.2.1, 10.0.0.1", "192.0.2.2, 10.0.0.1"), 401);
  },
  "the caller's address: is unknown, the same for all, if the header is too short or names no address": async (
    trial,
  ) => {
    assert.equal(await after20(trial, 2, (index) => `192.0.2.${index}`, "192.0.2.99"), 429);
    assert.equal(await after20(trial, 1, (index) => `unknown-${index}`, "unknown-99"), 429);
  },
};

export const headConnections: Cases<ServedByServer> = {
  ...eachOf(
    "credentials: a malformed token is refused: %s",
    ["Bearer", "Bearer a b", "Bearer a,b", "Bearer tök", "Bearer =a", 'Bearer "a"'],
    async (trial, authorization) => {
      const { port } = await trial.serve();
      const request = ["GET /api/users/me HTTP/1.1", "Host: a", `Authorization: ${authorization}`, "Connection: close"];
      const [answer] = await trial.raw(port, lines(...request));
      await expectProblem(answer, "invalid_token");
      assertContains(answer?.headers.get("www-authenticate"), 'error="invalid_token"');
    },
  ),
  "credentials: two credentials are refused, even the same twice": async (trial) => {
    const { url, port } = await trial.serve();
    const { token } = await signUp(trial, url);
    const authorization = `Authorization: Bearer ${token}`;
    const request = ["GET /api/users/me HTTP/1.1", "Host: a", authorization, authorization, "Connection: close"];
    const [answer] = await trial.raw(port, lines(...request));
    await expectProblem(answer, "multiple_credentials");
  },
  "the URL: 8 KiB are taken and more are not": async (trial) => {
    const { port } = await trial.serve();
    const get = (length: number) =>
      trial.raw(port, lines(`GET /${"a".repeat(length - 1)} HTTP/1.1`, "Host: a", "Connection: close"));
    await expectProblem((await get(8192))[0], "route_not_found");
    await expectProblem((await get(8193))[0], "uri_too_long");
    await expectProblem((await get(15_000))[0], "uri_too_long");
    await expectProblem((await get(40_000))[0], "uri_too_long");
  },
  ...eachOf(
    "the URL: broken percent-encoding in the path is refused: %s",
    ["/api/users/%", "/api/users/%zz", "/api/users/%ff", "/api/users/%c3%28", "/%"],
    async (trial, path) => {
      const { port } = await trial.serve();
      const [answer] = await trial.raw(port, lines(`GET ${path} HTTP/1.1`, "Host: a", "Connection: close"));
      await expectProblem(answer, "bad_request");
    },
  ),
  "the URL: broken percent-encoding in the query is refused": async (trial) => {
    const { port } = await trial.serve();
    for (const query of ["limit=%", "limit=%ff", "%e0%a4%a=1"]) {
      const [answer] = await trial.raw(port, lines(`GET /api?${query} HTTP/1.1`, "Host: a", "Connection: close"));
      await expectProblem(answer, "invalid_parameter");
    }
  },
  "the URL: absolute form is the same request": async (trial) => {
    const { port } = await trial.serve();
    const [answer] = await trial.raw(
      port,
      lines("GET http://elsewhere:80/api HTTP/1.1", "Host: a", "Connection: close"),
    );
    assert.equal(answer?.status, 200);
  },
  "the URL: OPTIONS * says which methods the server knows": async (trial) => {
    const { port } = await trial.serve();
    const [answer] = await trial.raw(port, lines("OPTIONS * HTTP/1.1", "Host: a", "Connection: close"));
    assert.equal(answer?.status, 204);
    assertContains(answer?.headers.get("allow"), "PATCH");
  },
  ...each(
    "Host: %s is refused",
    [
      ["none", []],
      ["two", ["Host: a", "Host: a"]],
      ["an empty one", ["Host:"]],
      ["a malformed one", ["Host: a b"]],
      ["one with a path", ["Host: a/b"]],
      ["one with user information", ["Host: u@a"]],
    ],
    async (trial, _name, hosts) => {
      const { port } = await trial.serve();
      for (const path of ["/api", "/api/webhooks/acme", "/health/live"]) {
        const [answer] = await trial.raw(port, lines(`GET ${path} HTTP/1.1`, ...hosts, "Connection: close"));
        await expectProblem(answer, "bad_request");
      }
    },
  ),
  "Host: HTTP/1.0 needs none": async (trial) => {
    const { port } = await trial.serve();
    const [answer] = await trial.raw(port, lines("GET /health/live HTTP/1.0"));
    assert.equal(answer?.status, 200);
  },
  "Host: no link is made from it": async (trial) => {
    const { port } = await trial.serve();
    const body = JSON.stringify({ name: "eve", email: "eve@example.com", password: "correct horse battery" });
    const head = ["POST /api/users HTTP/1.1", "Host: evil.example", "X-Forwarded-Host: evil.example"];
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
    const [answer] = await trial.raw(port, lines(...head, ...more) + body);
    assert.equal(answer?.status, 201);
    assert.ok(!(JSON.stringify([...(answer?.headers ?? [])]) + answer?.body).includes("evil.example"));
  },
};
