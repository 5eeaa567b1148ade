import assert from "node:assert/strict";
import type { Problem } from "@postern/core/internal";
import { bearer, json, signUp } from "./app-under-test.ts";
import { assertContains, assertMatches } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { lines } from "./raw.ts";
import type { Served, ServedByServer, Trial } from "./trial.ts";

const scene = async <On extends Served>(trial: Trial<On>) => {
  const served = await trial.serve();
  const { id, token } = await signUp(trial, served.url);
  const send = (method: string, path: string, body: string) =>
    trial.fetch(`${served.url}/api/v2${path}`, {
      method,
      headers: { ...bearer(token), "content-type": "application/json", "if-match": "*" },
      body,
    });
  return { ...served, id, token, send };
};

const post = (member: string, value: string) => `{"title":"T","body":"B",${JSON.stringify(member)}:${value}}`;

const long = JSON.stringify("x".repeat(201));

export const strictInputMessages: Cases = {
  ...each(
    "a body: with %s is refused with a pointer to it",
    [
      ["an unknown member", post("nickname", "1"), "unknown_field", "/nickname"],
      [
        "a member named like something that every object has",
        post("constructor", "{}"),
        "unknown_field",
        "/constructor",
      ],
      ["another such member", post("toString", "1"), "unknown_field", "/toString"],
      ["a member of the server's", post("created_at", '"2026-01-01T00:00:00.000Z"'), "field_read_only", "/created_at"],
      ["a number for a text", '{"title":1,"body":"B"}', "validation_failed", "/title"],
      ["an object for a text", '{"title":{"a":1},"body":"B"}', "validation_failed", "/title"],
      ["an array for a text", '{"title":["T"],"body":"B"}', "validation_failed", "/title"],
      ["null for a text", '{"title":null,"body":"B"}', "validation_failed", "/title"],
      ["a text that is too long", `{"title":${long},"body":"B"}`, "validation_failed", "/title"],
      ["a NUL character", '{"title":"a\\u0000b","body":"B"}', "validation_failed", "/title"],
      ["a lone surrogate", '{"title":"a\\ud800","body":"B"}', "validation_failed", "/title"],
      ["a missing member", '{"title":"T"}', "validation_failed", "/body"],
      ["a word that is no state", post("status", '"lost"'), "validation_failed", "/status"],
      ["an array in place of the object", "[]", "validation_failed", ""],
      ["a text in place of the object", '"x"', "validation_failed", ""],
      ["null in place of the object", "null", "validation_failed", ""],
    ] as const,
    async (trial, _what, body, code, pointer) => {
      const { send } = await scene(trial);
      const problem = await expectProblem(await send("POST", "/users/me/posts", body), code);
      assert.deepEqual(
        problem.errors?.map((fault) => "pointer" in fault && fault.pointer),
        [pointer],
      );
    },
  ),
  ...each(
    "a body: with %s is refused",
    [
      ["a repeated member", '{"title":"T","title":"T","body":"B"}'],
      ["a member repeated in another spelling", '{"title":"T","\\u0074itle":"T","body":"B"}'],
      ["a member named __proto__", '{"__proto__":{"role":"admin"},"title":"T","body":"B"}'],
      ["a deep nesting", `{"title":${"[".repeat(40)}${"]".repeat(40)},"body":"B"}`],
      ["nothing", ""],
      ["only white space", "  "],
      ["half an object", '{"title":'],
      ["two values", "{}{}"],
      ["NaN", '{"title":NaN}'],
      ["a number that is infinite", '{"preferences":{"a":1e400}}'],
      ["a whole number that would be rounded", '{"preferences":{"a":12345678901234567}}'],
    ],
    async (trial, _what, body) => {
      const { send } = await scene(trial);
      await expectProblem(await send("POST", "/users/me/posts", body), "invalid_json");
    },
  ),
  "a body: in bytes that are not UTF-8 is refused": async (trial) => {
    const { url, token } = await scene(trial);
    const body = Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff, 0xfe]), Buffer.from('","body":"B"}')]);
    const headers = { ...bearer(token), "content-type": "application/json" };
    await expectProblem(
      await trial.fetch(`${url}/api/v2/users/me/posts`, { method: "POST", headers, body }),
      "invalid_json",
    );
  },
  "a body: is kept as it was sent: numbers, names and texts of preferences read back the same": async (trial) => {
    const { send, url, token } = await scene(trial);
    const preferences = {
      constructor: { prototype: [0.1, -1.5e-7, 9007199254740991, 1e21] },
      toString: "𝒳 é e\u0301 \u2028",
      "": false,
      " a ": [[], {}],
    };
    assert.equal((await send("PATCH", "/users/me", JSON.stringify({ preferences }))).status, 200);
    const read = await trial.fetch(`${url}/api/v2/users/me?fields=preferences`, { headers: bearer(token) });
    assertMatches(await read.json(), { preferences });
  },
  ...eachOf(
    "a body: of a PUT or PATCH may repeat %s as it is, and not change it",
    ["id", "created_at", "updated_at"],
    async (trial, member) => {
      const { send, url, token } = await scene(trial);
      const me = (await (await trial.fetch(`${url}/api/v2/users/me`, { headers: bearer(token) })).json()) as Record<
        string,
        unknown
      >;
      const other = member === "id" ? "01900000-0000-7000-8000-000000000000" : "2020-01-01T00:00:00.000Z";
      for (const method of ["PUT", "PATCH"]) {
        const base = { name: "A", email: me.email };
        assert.equal((await send(method, "/users/me", JSON.stringify({ ...base, [member]: other }))).status, 400);
      }
      assert.equal((await send("PUT", "/users/me", JSON.stringify(me))).status, 200);
    },
  ),
  ...each(
    "a query: of %s is refused with the parameter's name",
    [
      ["limit[]=1", "unknown_parameter", "limit[]"],
      ["limit[a]=1", "unknown_parameter", "limit[a]"],
      ["limit=1&limit=1", "invalid_parameter", "limit"],
      ["limit=1&li%6Dit=1", "invalid_parameter", "limit"],
      ["__proto__=1", "unknown_parameter", "__proto__"],
      ["constructor=1", "unknown_parameter", "constructor"],
      ["toString", "unknown_parameter", "toString"],
      ["limit=01", "invalid_parameter", "limit"],
      ["limit=1.0", "invalid_parameter", "limit"],
      ["limit=%2B1", "invalid_parameter", "limit"],
      ["limit=１", "invalid_parameter", "limit"],
      ["limit=", "invalid_parameter", "limit"],
      ["=1", "unknown_parameter", ""],
      ["access_token=x", "unknown_parameter", "access_token"],
      ["_method=DELETE", "unknown_parameter", "_method"],
    ] as const,
    async (trial, query, code, parameter) => {
      const { url, token } = await scene(trial);
      const answer = await trial.fetch(`${url}/api/v2/users/me/posts?${query}`, { headers: bearer(token) });
      const problem = await expectProblem(answer, code);
      assertMatches(problem.errors, [{ parameter }]);
    },
  ),
  "the faults of a request: are listed within bounds, however many there are": async (trial) => {
    const { send, url, token } = await scene(trial);
    const long = "x".repeat(5000);
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}${long.slice(0, 300)}`, 1]));
    for (const [body, faults] of [
      [JSON.stringify({ [long]: 1, title: "T", body: "B" }), 1],
      [JSON.stringify({ ...many, title: "T", body: "B" }), 50],
      [`{"${long}":{"a":1,"a":2}}`, 1],
    ] as const) {
      const answer = await send("POST", "/users/me/posts", body);
      const problem = (await answer.json()) as Problem;
      assert.deepEqual([answer.status, problem.errors?.length], [400, faults]);
      assert.ok(JSON.stringify(problem).length < 150_000);
    }
    const answer = await trial.fetch(`${url}/api/v2/users/me/posts?${long}=1`, { headers: bearer(token) });
    const [fault] = (await expectProblem(answer, "unknown_parameter")).errors ?? [];
    assertMatches(fault, { parameter: /^x{1000,1023}…$/ });
  },
  "an id in a path: has one spelling": async (trial) => {
    const { url, id, token } = await scene(trial);
    const get = (path: string) => trial.fetch(`${url}/api/v2/users/${path}`, { headers: bearer(token) });
    // Characters that need no encoding mean the same with it.
    for (const same of [id, `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`, "%6de"]) {
      assertMatches(await (await get(same)).json(), { id });
    }
    // Another path: a client takes `..` for the folder above.
    for (const other of [`${id}/`, "%2e%2e"]) await expectProblem(await get(other), "route_not_found");
    for (const other of ["%256de", "%00", `${id}%00`, `${id}%20`, `${id}%2F`]) {
      await expectProblem(await get(other), "not_found");
    }
    for (const other of [id.toUpperCase(), `{${id}}`.replaceAll(/[{}]/g, "-"), id.replaceAll("-", ""), "Me"]) {
      await expectProblem(await get(other), "not_found");
    }
  },
  "headers that override the method or claim an identity: are ignored": async (trial) => {
    const { url, token, id } = await scene(trial);
    const headers = {
      ...bearer(token),
      "x-http-method-override": "DELETE",
      "x-method-override": "DELETE",
      "x-user-id": "01900000-0000-7000-8000-000000000000",
      "x-role": "admin",
    };
    const answer = await trial.fetch(`${url}/api/v2/users/me`, { headers });
    assertMatches(await answer.json(), { id, role: "user" });
    await expectProblem(await trial.fetch(`${url}/api/v2/admin/audit`, { headers }), "forbidden");
    const made = await trial.fetch(`${url}/api/v2/users/me/posts`, json({ title: "T", body: "B" }, { headers }));
    assert.equal(made.status, 201);
  },
};

export const strictInputConnections: Cases<ServedByServer> = {
  "a body: with two media types is refused, whichever they are": async (trial) => {
    const { port, token } = await scene(trial);
    const body = '{"title":"T","body":"B"}';
    const head = ["POST /api/v2/users/me/posts HTTP/1.1", "Host: a", `Authorization: Bearer ${token}`];
    const types = ["Content-Type: application/json", "content-type: application/json"];
    const more = [`Content-Length: ${body.length}`, "Connection: close"];
    const [answer] = await trial.raw(port, lines(...head, ...types, ...more) + body);
    const problem = await expectProblem(answer, "malformed_header");
    assertMatches(problem.errors, [{ header: "Content-Type" }]);
  },
  "the faults of a request: are also reported for a path that is not a URI": async (trial) => {
    const { port } = await trial.serve();
    for (const path of ["/api/v2/%", "/api/v2/{id}", "/api/v2/<b>", '/api/"\\^`|', "/%zz/%4"]) {
      const [answer] = await trial.raw(port, lines(`GET ${path} HTTP/1.1`, "Host: a", "Connection: close"));
      const { instance } = JSON.parse(answer?.body ?? "") as Problem;
      assertContains([400, 404], answer?.status);
      assert.equal(decodeURIComponent(instance), Buffer.from(path).toString("latin1"));
    }
  },
};
