import assert from "node:assert/strict";
import { defaultLimits } from "@postern/rest";
import { bearer, json, makeApp, signUp } from "./app-under-test.ts";
import { assertMatches } from "./assertions.ts";
import { type Cases, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { lines } from "./raw.ts";
import type { Served, ServedByServer, Trial } from "./trial.ts";

const draft = { title: "Hello", body: "World" };

const scene = async <On extends Served>(trial: Trial<On>, options: Parameters<typeof makeApp>[0] = {}) => {
  const served = await trial.serve({}, makeApp(options));
  const { id, token } = await signUp(trial, served.url);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    trial.fetch(`${served.url}/api/v2${path}`, {
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

export const requestMessages: Cases = {
  "preconditions over HTTP: a GET with the tag is answered 304 without a body, for HEAD too": async (trial) => {
    const { send, post } = await scene(trial);
    const { path, tag } = await post();
    for (const method of ["GET", "HEAD"]) {
      const answer = await send(method, path, undefined, { "if-none-match": tag });
      assert.deepEqual([answer.status, await answer.text(), answer.headers.get("etag")], [304, "", tag]);
      assert.equal(answer.headers.get("cache-control"), "private, no-cache");
      assert.equal(answer.headers.get("content-type"), null);
    }
    const list = await send("GET", "/users/me/posts?include=author");
    const again = await send("GET", "/users/me/posts?include=author", undefined, {
      "if-none-match": list.headers.get("etag") ?? "",
    });
    assert.equal(again.status, 304);
  },
  "preconditions over HTTP: a write must say which revision it changes": async (trial) => {
    const { send, post } = await scene(trial);
    const { path, tag } = await post();
    await expectProblem(await send("PATCH", path, { title: "A" }), "precondition_required");
    const changed = await send("PATCH", path, { title: "A" }, { "if-match": tag });
    assert.equal(changed.status, 200);
    await expectProblem(await send("PUT", path, draft, { "if-match": tag }), "precondition_failed");
    await expectProblem(await send("DELETE", path, undefined, { "if-match": `W/${tag}` }), "precondition_failed");
    await expectProblem(await send("DELETE", path, undefined, { "if-match": "nonsense" }), "malformed_header");
    assert.equal(
      // A proxy that compresses weakens the tag. It names the same revision.
      (await send("DELETE", path, undefined, { "if-match": `W/${changed.headers.get("etag")}` })).status,
      204,
    );
  },
  "preconditions over HTTP: a write without the header still works in v1": async (trial) => {
    const { url, post, token } = await scene(trial);
    const { path } = await post();
    const answer = await trial.fetch(
      `${url}/api/v1${path}`,
      json({ title: "A" }, { method: "PATCH", headers: bearer(token) }),
    );
    assert.equal(answer.status, 200);
  },
  "Prefer over HTTP: return=minimal leaves out body, type and length": async (trial) => {
    const { send, post } = await scene(trial);
    const { path } = await post();
    const wish = { prefer: "return=minimal", "if-match": "*" };
    const made = await send("POST", "/users/me/posts", draft, wish);
    const patched = await send("PATCH", path, { title: "A" }, wish);
    assertMatches([made.status, await made.text(), made.headers.get("location")], [204, "", String]);
    assert.deepEqual([patched.status, await patched.text(), patched.headers.get("content-type")], [204, "", null]);
    for (const answer of [made, patched]) assert.equal(answer.headers.get("preference-applied"), "return=minimal");
  },
  "an answer without a body: has a length of 0 and no type": async (trial) => {
    const { url } = await trial.serve();
    const answer = await trial.fetch(`${url}/api/v2/password-resets`, json({ email: "nobody@example.com" }));
    assert.deepEqual([answer.status, await answer.text()], [202, ""]);
    assert.deepEqual([answer.headers.get("content-length"), answer.headers.get("content-type")], ["0", null]);
  },
  "Idempotency-Key over HTTP: gives the same answer again, byte by byte": async (trial) => {
    const { send } = await scene(trial);
    const key = { "idempotency-key": '"a-key"' };
    const first = await send("POST", "/users/me/posts?fields=title", draft, key);
    const again = await send("POST", "/users/me/posts?fields=title", draft, key);
    assert.deepEqual([again.status, await again.text()], [201, await first.text()]);
    for (const name of ["location", "etag", "last-modified", "content-type", "content-length"]) {
      assert.equal(again.headers.get(name), first.headers.get(name));
    }
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    await expectProblem(
      await send("POST", "/users/me/posts?fields=title", { ...draft, title: "B" }, key),
      "idempotency_key_reused",
    );
    await expectProblem(await send("POST", "/users/me/posts", draft, { "idempotency-key": "a b" }), "malformed_header");
  },
  "Idempotency-Key over HTTP: looks at the bytes: the same JSON in another spelling is another request": async (
    trial,
  ) => {
    const { url, token } = await scene(trial);
    const post = (body: string) =>
      trial.fetch(`${url}/api/v2/users/me/posts`, {
        method: "POST",
        headers: { ...bearer(token), "content-type": "application/json", "idempotency-key": "a-key" },
        body,
      });
    assert.equal((await post('{"title":"A","body":"B"}')).status, 201);
    await expectProblem(await post('{"body":"B","title":"A"}'), "idempotency_key_reused");
  },
  "limits over HTTP: are reported in structured fields, and a 429 names the limit": async (trial) => {
    const limits = { ...defaultLimits, default: { limit: 2, windowMs: 60_000 } };
    const { send } = await scene(trial, { settings: { rateLimits: "on", limits } });
    const answers = [await send("GET", "/users/me"), await send("GET", "/users/me"), await send("GET", "/users/me")];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429],
    );
    for (const { headers } of answers) {
      assertMatches(headers.get("ratelimit-policy"), /^"default";[^,]+$/);
      assertMatches(headers.get("ratelimit"), /^"default";[^,]+$/);
    }
    const problem = await expectProblem(answers[2], "rate_limited");
    assert.deepEqual(problem["violated-policies"], ["default"]);
    assert.equal(answers[2]?.headers.get("retry-after"), "30");
  },
  ...eachOf(
    "a list in %s: is refused beyond 100 members, and read up to then",
    ["accept", "accept-encoding", "if-match", "if-none-match"],
    async (trial: Trial, name) => {
      const { url } = await trial.serve();
      const isTag = name.startsWith("if");
      const member = (n: number) => (isTag ? `"${n}"` : name === "accept" ? `text/x${n}` : `x${n}`);
      const last = isTag ? '"last"' : name === "accept" ? "application/json" : "identity";
      const ask = (members: number, path: string) => {
        const list = [...Array.from({ length: members - 1 }, (_, n) => member(n)), last].join(", ");
        return trial.fetch(`${url}${path}`, { headers: { [name]: list } });
      };
      assert.equal((await ask(100, "/api")).status, name === "if-match" ? 412 : 200);
      const problem = await expectProblem(await ask(101, "/api"), "malformed_header");
      assertMatches(problem.errors, [{ header: /^[A-Z]/, code: "too_many" }]);
      assert.match(String(problem.detail), new RegExp(`in ${name} has`, "i"));
    },
  ),
};

export const requestConnections: Cases<ServedByServer> = {
  "preconditions over HTTP: tags sent in several header lines are one list": async (trial) => {
    const { port, post, token } = await scene(trial);
    const { path, tag } = await post();
    const head = [`GET /api/v2${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${token}`, "Connection: close"];
    const [answer] = await trial.raw(port, lines(...head, 'If-None-Match: "a"', `If-None-Match: ${tag}`));
    assert.equal(answer?.status, 304);
  },
  "Idempotency-Key over HTTP: twice in one request is refused": async (trial) => {
    const { port, token } = await scene(trial);
    const body = JSON.stringify(draft);
    const head = ["POST /api/v2/users/me/posts HTTP/1.1", "Host: a", `Authorization: Bearer ${token}`];
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
    const keys = ['Idempotency-Key: "a"', 'Idempotency-Key: "b"'];
    const [answer] = await trial.raw(port, lines(...head, ...more, ...keys) + body);
    await expectProblem(answer, "malformed_header");
  },
};
