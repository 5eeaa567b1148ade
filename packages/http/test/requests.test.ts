import { defaultLimits } from "@postern/rest";
import { parseList } from "structured-headers";
import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { lines, raw } from "./support/raw.ts";
import { bearer, json, makeApp, serve, signUp } from "./support/serve.ts";

const draft = { title: "Hello", body: "World" };

const scene = async (options: Parameters<typeof makeApp>[0] = {}) => {
  const served = await serve({}, makeApp(options));
  const { id, token } = await signUp(served.url);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${served.url}/api/v2${path}`, {
      method,
      headers: { ...bearer(token), ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const post = async () => {
    const made = await send("POST", "/users/me/posts", draft);
    return { path: `/posts/${((await made.json()) as { id: string }).id}`, tag: made.headers.get("etag") ?? "" };
  };
  return { ...served, id, token, send, post };
};

describe("preconditions over HTTP", () => {
  test("a GET with the tag is answered 304 without a body, for HEAD too", async () => {
    const { send, post } = await scene();
    const { path, tag } = await post();
    for (const method of ["GET", "HEAD"]) {
      const answer = await send(method, path, undefined, { "if-none-match": tag });
      expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", tag]);
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      expect(answer.headers.get("content-type")).toBeNull();
    }
    const list = await send("GET", "/users/me/posts?include=author");
    const again = await send("GET", "/users/me/posts?include=author", undefined, {
      "if-none-match": list.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
  });

  test("a write says which revision it is about, or is told to", async () => {
    const { send, post } = await scene();
    const { path, tag } = await post();
    await expectProblem(await send("PATCH", path, { title: "A" }), "precondition_required");
    const changed = await send("PATCH", path, { title: "A" }, { "if-match": tag });
    expect(changed.status).toBe(200);
    await expectProblem(await send("PUT", path, draft, { "if-match": tag }), "precondition_failed");
    await expectProblem(
      await send("DELETE", path, undefined, { "if-match": `W/${changed.headers.get("etag")}` }),
      "precondition_failed",
    );
    await expectProblem(await send("DELETE", path, undefined, { "if-match": "nonsense" }), "malformed_header");
    expect((await send("DELETE", path, undefined, { "if-match": changed.headers.get("etag") ?? "" })).status).toBe(204);
  });

  test("tags sent in several header lines are one list", async () => {
    const { port, post, token } = await scene();
    const { path, tag } = await post();
    const head = [`GET /api/v2${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${token}`, "Connection: close"];
    const [answer] = await raw(port, lines(...head, 'If-None-Match: "a"', `If-None-Match: ${tag}`));
    expect(answer?.status).toBe(304);
  });

  test("a proxy's user without the header still writes in v1", async () => {
    const { url, post, token } = await scene();
    const { path } = await post();
    const answer = await fetch(
      `${url}/api/v1${path}`,
      json({ title: "A" }, { method: "PATCH", headers: bearer(token) }),
    );
    expect(answer.status).toBe(200);
  });
});

describe("Prefer over HTTP", () => {
  test("return=minimal leaves out body, type and length", async () => {
    const { send, post } = await scene();
    const { path } = await post();
    const wish = { prefer: "return=minimal", "if-match": "*" };
    const made = await send("POST", "/users/me/posts", draft, wish);
    const patched = await send("PATCH", path, { title: "A" }, wish);
    expect([made.status, await made.text(), made.headers.get("location")]).toEqual([201, "", expect.any(String)]);
    expect([patched.status, await patched.text(), patched.headers.get("content-type")]).toEqual([204, "", null]);
    for (const answer of [made, patched]) expect(answer.headers.get("preference-applied")).toBe("return=minimal");
  });
});

describe("Idempotency-Key over HTTP", () => {
  test("gives the same answer again, byte by byte", async () => {
    const { send } = await scene();
    const key = { "idempotency-key": '"a-key"' };
    const first = await send("POST", "/users/me/posts?fields=title", draft, key);
    const again = await send("POST", "/users/me/posts?fields=title", draft, key);
    expect([again.status, await again.text()]).toEqual([201, await first.text()]);
    for (const name of ["location", "etag", "last-modified", "content-type", "content-length"]) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await expectProblem(
      await send("POST", "/users/me/posts?fields=title", { ...draft, title: "B" }, key),
      "idempotency_key_reused",
    );
    await expectProblem(await send("POST", "/users/me/posts", draft, { "idempotency-key": "a b" }), "malformed_header");
  });

  test("looks at the bytes: the same JSON in another spelling is another request", async () => {
    const { url, token } = await scene();
    const post = (body: string) =>
      fetch(`${url}/api/v2/users/me/posts`, {
        method: "POST",
        headers: { ...bearer(token), "content-type": "application/json", "idempotency-key": "a-key" },
        body,
      });
    expect((await post('{"title":"A","body":"B"}')).status).toBe(201);
    await expectProblem(await post('{"body":"B","title":"A"}'), "idempotency_key_reused");
  });

  test("twice in one request is refused", async () => {
    const { port, token } = await scene();
    const body = JSON.stringify(draft);
    const head = ["POST /api/v2/users/me/posts HTTP/1.1", "Host: a", `Authorization: Bearer ${token}`];
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
    const keys = ['Idempotency-Key: "a"', 'Idempotency-Key: "b"'];
    const [answer] = await raw(port, lines(...head, ...more, ...keys) + body);
    await expectProblem(answer, "malformed_header");
  });
});

describe("limits over HTTP", () => {
  test("are told in structured fields, and the 429 names what was broken", async () => {
    const limits = { ...defaultLimits, default: { limit: 2, windowMs: 60_000 } };
    const { send } = await scene({ settings: { rateLimits: "on", limits } });
    const answers = [await send("GET", "/users/me"), await send("GET", "/users/me"), await send("GET", "/users/me")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    for (const { headers } of answers) {
      expect(parseList(headers.get("ratelimit-policy") ?? "").map(([name]) => name)).toEqual(["address", "default"]);
      expect(parseList(headers.get("ratelimit") ?? "")).toHaveLength(2);
    }
    const problem = await expectProblem(answers[2], "rate_limited");
    expect(problem["violated-policies"]).toEqual(["default"]);
    expect(answers[2]?.headers.get("retry-after")).toBe("30");
  });
});
