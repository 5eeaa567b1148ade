import assert from "node:assert/strict";
import type { RootedEndpoint } from "@postern/rest";
import { makeApp } from "./app-under-test.ts";
import { type Cases, each } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import type { Trial } from "./trial.ts";

const type = "application/x-www-form-urlencoded";

/** Answers with what it got, and with the fault if there was one. */
const echo = ({ fail }: ReturnType<typeof makeApp>["app"]): RootedEndpoint => ({
  path: "/oauth/echo",
  methods: ["GET", "POST"],
  wellKnown: true,
  answer: async (request) => {
    try {
      const form = request.method === "POST" ? await request.form() : new Map<string, string>();
      const { method, root, agent } = request;
      const body = { method, root, agent, cookie: request.header("cookie") ?? null, query: [...request.query()] };
      return { status: 200, body: { ...body, form: [...form] } };
    } catch (thrown) {
      return fail(thrown, { path: request.root, requestId: request.id });
    }
  },
});

const served = (trial: Trial, options: Parameters<Trial["serve"]>[0] = {}) => {
  const made = makeApp();
  const rooted = [...made.app.rooted, echo(made.app)];
  return trial.serve(options, { ...made, app: { ...made.app, rooted } });
};

const posting = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": type, ...headers },
  body,
});

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, "latin1"));

export const formMessages: Cases = {
  "a form: reaches an endpoint outside /api as texts, with the query beside it": async (trial) => {
    const { url } = await served(trial);
    const body = "grant_type=client_credentials&scope=a+b%20c&empty=&lone&&a%5Bb%5D=1&__proto__=x&%C3%BC=%E2%82%AC";
    const answer = await trial.fetch(`${url}/oauth/echo?x=1&y=a%20b`, posting(body, { cookie: "a=b" }));
    assert.equal(answer.status, 200);
    const { form, query, cookie, method } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(form, [
      ["grant_type", "client_credentials"],
      ["scope", "a b c"],
      ["empty", ""],
      ["lone", ""],
      ["a[b]", "1"],
      ["__proto__", "x"],
      ["ü", "€"],
    ]);
    const sent = [
      ["x", "1"],
      ["y", "a b"],
    ];
    assert.deepEqual([query, cookie, method], [sent, "a=b", "POST"]);
  },
  "a form: accepts its type in upper or lower case, with UTF-8 and no other charset": async (trial) => {
    const { url } = await served(trial);
    for (const fitting of [type.toUpperCase(), `${type}; charset=UTF-8`, `${type};charset="utf-8"`]) {
      const answer = await trial.fetch(`${url}/oauth/echo`, posting("a=1", { "content-type": fitting }));
      assert.equal(answer.status, 200, fitting);
    }
  },
  ...each(
    "a form: %s is refused with %s",
    [
      ["of JSON", "unsupported_media_type", posting('{"a":1}', { "content-type": "application/json" })],
      [
        "of several parts",
        "unsupported_media_type",
        posting("a=1", { "content-type": "multipart/form-data; boundary=x" }),
      ],
      ["in Latin-1", "unsupported_media_type", posting("a=1", { "content-type": `${type}; charset=iso-8859-1` })],
      ["that is compressed", "unsupported_media_type", posting("a=1", { "content-encoding": "gzip" })],
      ["with a field twice", "bad_request", posting("code=1&code=1")],
      ["with a field twice in two spellings", "bad_request", posting("code=1&%63ode=2")],
      ["of 101 fields", "bad_request", posting(Array.from({ length: 101 }, (_, n) => `f${n}=x`).join("&"))],
      ["with half an escape", "bad_request", posting("a=%E2%82&b=1")],
      ["with a malformed escape", "bad_request", posting("a=%zz")],
      ["of bytes that are not UTF-8", "bad_request", posting(bytes("a=\xff\xfe"))],
      ["of more than 64 KiB", "content_too_large", posting(`a=${"x".repeat(64 * 1024)}`)],
    ] as const,
    async (trial, _what, code, init) => {
      const { url } = await served(trial);
      const problem = await expectProblem(await trial.fetch(`${url}/oauth/echo`, init), code);
      assert.ok(!JSON.stringify(problem).includes("code=1"));
    },
  ),
  "a form: of exactly 64 KiB and of 100 fields is taken": async (trial) => {
    const { url } = await served(trial);
    const full = `a=${"x".repeat(64 * 1024 - 2)}`;
    const hundred = Array.from({ length: 100 }, (_, n) => `f${n}=x`).join("&");
    for (const body of [full, hundred, ""]) {
      assert.equal((await trial.fetch(`${url}/oauth/echo`, posting(body))).status, 200);
    }
  },
  "an endpoint outside /api: answers HEAD and OPTIONS, and no other methods; a query parameter comes once": async (
    trial,
  ) => {
    const { url } = await served(trial);
    const head = await trial.fetch(`${url}/oauth/echo`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    const options = await trial.fetch(`${url}/oauth/echo`, { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, POST, OPTIONS"]);
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      await expectProblem(await trial.fetch(`${url}/oauth/echo`, { method }), "method_not_allowed");
    }
    await expectProblem(await trial.fetch(`${url}/oauth/echo?a=1&a=2`), "invalid_parameter");
    await expectProblem(await trial.fetch(`${url}/oauth/echo/`), "route_not_found");
  },
  "an endpoint outside /api: is below the base path; a well-known one is also in front of it (RFC 8414)": async (
    trial,
  ) => {
    const { url } = await served(trial, { basePath: "/postern" });
    const below = await trial.fetch(`${url}/postern/oauth/echo`);
    assert.equal(((await below.json()) as { root: string }).root, "/postern");
    assert.equal((await trial.fetch(`${url}/oauth/echo/postern`)).status, 200);
    await expectProblem(await trial.fetch(`${url}/oauth/echo`), "route_not_found");
    await expectProblem(await trial.fetch(`${url}/.well-known/jwks.json/postern`), "route_not_found");
  },
  "/.well-known/jwks.json: shows the active and the next key to anybody, for five minutes (RFC 7517)": async (
    trial,
  ) => {
    const { url } = await served(trial);
    const answer = await trial.fetch(`${url}/.well-known/jwks.json`);
    assert.equal(answer.headers.get("content-type"), "application/jwk-set+json");
    assert.equal(answer.headers.get("cache-control"), "public, max-age=300");
    const { keys } = (await answer.json()) as { keys: Record<string, string>[] };
    assert.equal(keys.length, 2);
    for (const key of keys) {
      assert.deepEqual(Object.keys(key).toSorted(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
    }
  },
};
