import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const draft = { title: "Hello", body: "World" };

/** An administrator, two users, a published post of one with a comment of the other. */
const scene = async () => {
  const api = testApi();
  const root = await api.admin();
  const ada = await api.user("ada");
  const bob = await api.user("bob");
  const eve = await api.user("eve");
  const post = await api.call("POST", "/users/me/posts", {
    token: ada.token,
    body: { ...draft, status: "published" },
  });
  const comment = await api.call("POST", `/posts/${post.body.id}/comments`, {
    token: bob.token,
    body: { body: "Nice" },
  });
  const tokens = { nobody: undefined, root: root.token, ada: ada.token, bob: bob.token, eve: eve.token };
  const ids = { ada: ada.id, bob: bob.id, post: post.body.id, comment: comment.body.id };
  return { ...api, tokens, ids };
};

type Who = "nobody" | "root" | "ada" | "bob" | "eve";
type Row = readonly [
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body: object | undefined,
  Record<Who, number>,
];

const user = { name: "New", email: "new@example.com", password: "correct horse battery" };
const profile = { name: "Ada", email: "ada@example.com" };
const passwords = { current_password: "correct horse battery", new_password: "another horse battery" };

/** The design's table: who may do what, each row on a fresh scene. */
const table: readonly Row[] = [
  ["GET", "/users", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["POST", "/users", user, { nobody: 201, root: 201, ada: 201, bob: 201, eve: 201 }],
  ["GET", "/users/{ada}", undefined, { nobody: 401, root: 200, ada: 200, bob: 404, eve: 404 }],
  ["GET", "/users/me", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["PUT", "/users/{ada}", profile, { nobody: 401, root: 200, ada: 200, bob: 404, eve: 404 }],
  ["PATCH", "/users/{ada}", { name: "A" }, { nobody: 401, root: 200, ada: 200, bob: 404, eve: 404 }],
  ["PUT", "/users/{ada}/password", passwords, { nobody: 401, root: 204, ada: 204, bob: 404, eve: 404 }],
  ["DELETE", "/users/{ada}", undefined, { nobody: 401, root: 204, ada: 204, bob: 404, eve: 404 }],
  ["GET", "/users/{ada}/posts", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["GET", "/posts", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["POST", "/users/{ada}/posts", draft, { nobody: 401, root: 201, ada: 201, bob: 404, eve: 404 }],
  ["GET", "/posts/{post}", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["PUT", "/posts/{post}", { ...draft, status: "published" }, { nobody: 401, root: 200, ada: 200, bob: 403, eve: 403 }],
  ["PATCH", "/posts/{post}", { title: "T" }, { nobody: 401, root: 200, ada: 200, bob: 403, eve: 403 }],
  ["DELETE", "/posts/{post}", undefined, { nobody: 401, root: 204, ada: 204, bob: 403, eve: 403 }],
  ["GET", "/posts/{post}/comments", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["POST", "/posts/{post}/comments", { body: "B" }, { nobody: 401, root: 201, ada: 201, bob: 201, eve: 201 }],
  ["GET", "/comments/{comment}", undefined, { nobody: 401, root: 200, ada: 200, bob: 200, eve: 200 }],
  ["PUT", "/comments/{comment}", { body: "B" }, { nobody: 401, root: 200, ada: 403, bob: 200, eve: 403 }],
  ["PATCH", "/comments/{comment}", { body: "B" }, { nobody: 401, root: 200, ada: 403, bob: 200, eve: 403 }],
  ["DELETE", "/comments/{comment}", undefined, { nobody: 401, root: 204, ada: 204, bob: 204, eve: 403 }],
  ["GET", "/admin/audit", undefined, { nobody: 401, root: 200, ada: 403, bob: 403, eve: 403 }],
];

const at = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? "");

describe("what each caller may do", () => {
  test.each(table)("%s %s", async (method, path, body, expected) => {
    const answered: Record<string, number> = {};
    for (const who of Object.keys(expected) as Who[]) {
      const { call, tokens, ids } = await scene();
      const token = tokens[who];
      const reply = await call(method, at(path, ids), { ...(token && { token }), ...(body && { body }) });
      answered[who] = reply.status;
    }
    expect(answered).toEqual(expected);
  });

  test.each(table.filter(([, path]) => /\{(ada|post|comment)\}/.test(path)))(
    "%s %s finds nothing under another id",
    async (method, path, body) => {
      const { call, tokens } = await scene();
      for (const id of ["01900000-0000-7000-8000-000000000000", "1", "ME"]) {
        const target = path.replaceAll(/\{\w+\}/g, id);
        const reply = await call(method, target, { token: tokens.root ?? "", ...(body && { body }) });
        expect([target, reply.status, reply.body.code]).toEqual([target, 404, "not_found"]);
      }
    },
  );
});

describe("where an answer says that something is", () => {
  test("a creation names the new row's one address", async () => {
    const { call, tokens, ids } = await scene();
    const token = tokens.ada ?? "";
    for (const [target, body, plural] of [
      ["/users", user, "users"],
      [`/users/${ids.ada}/posts`, draft, "posts"],
      [`/posts/${ids.post}/comments`, { body: "B" }, "comments"],
    ] as const) {
      const made = await call("POST", target, { token, body });
      expect(made.headers.location).toBe(`/api/v2/${plural}/${made.body.id}`);
      expect(
        (await call("GET", `/${plural}/${made.body.id}`, { token: plural === "users" ? (tokens.root ?? "") : token }))
          .status,
      ).toBe(200);
    }
  });

  test("every method on /users/me says whose it is", async () => {
    const { call, tokens, ids } = await scene();
    const token = tokens.ada ?? "";
    const replies = [
      await call("GET", "/users/me", { token }),
      await call("PUT", "/users/me", { token, body: profile }),
      await call("PATCH", "/users/me", { token, body: { name: "A" } }),
      await call("DELETE", "/users/me", { token }),
    ];
    for (const { headers } of replies) expect(headers["content-location"]).toBe(`/api/v2/users/${ids.ada}`);
  });
});

describe("a request with far too much wrong", () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `a${index}`);

  test.each(["v1", "v2"])(
    "is answered with a part of it in %s: the answer is no larger than the question",
    async (version) => {
      const { call, tokens } = await scene();
      const unknown = Object.fromEntries(names.map((name) => [name, 0]));
      for (const [method, path, known] of [
        ["POST", "/users", user],
        ["PATCH", "/users/me", {}],
      ] as const) {
        const refused = await call(method, path, { token: tokens.ada, version, body: { ...known, ...unknown } });
        expect([refused.status, refused.body.code, refused.body.errors.length]).toEqual([400, "unknown_field", 50]);
        expect(refused.body.detail).toContain("a4: no such field; and many more.");
        expect(JSON.stringify(refused.body).length).toBeLessThan(10_000);
      }
    },
  );

  test("in its query is answered so, too", async () => {
    const { call, tokens } = await scene();
    const query = names.slice(0, 2_000).map((name) => `${name}=`);
    const refused = await call("GET", `/users?${query.join("&")}`, { token: tokens.ada });
    expect([refused.status, refused.body.code, refused.body.errors.length]).toEqual([400, "unknown_parameter", 50]);
    expect(JSON.stringify(refused.body).length).toBeLessThan(10_000);
  });
});

describe("Prefer", () => {
  test("return=minimal leaves the row out of answers to writes, and says so", async () => {
    const { call, tokens, ids } = await scene();
    const token = tokens.ada ?? "";
    const headers = { prefer: "respond-async, return=minimal" };
    const made = await call("POST", "/users/me/posts", { token, body: draft, headers });
    const patched = await call("PATCH", `/posts/${ids.post}`, { token, body: { title: "T" }, headers });
    const put = await call("PUT", "/users/me", { token, body: profile, headers });
    expect([made, patched, put].map(({ status, body }) => [status, body])).toEqual([
      [204, undefined],
      [204, undefined],
      [204, undefined],
    ]);
    for (const reply of [made, patched, put]) {
      expect(reply.headers).toMatchObject({ "preference-applied": "return=minimal", etag: expect.any(String) });
      expect(reply.headers).not.toHaveProperty("content-type");
    }
    expect(made.headers.location).toMatch(/^\/api\/v2\/posts\//);
    const read = await call("GET", `/posts/${ids.post}`, { token, headers });
    expect([read.status, read.headers["preference-applied"]]).toEqual([200, undefined]);
  });

  test.each([
    "return=representation",
    'return="representation"',
    "RETURN = representation; x=1",
    "return=representation, return=minimal",
  ])("%s gives the row", async (prefer) => {
    const { call, tokens } = await scene();
    const made = await call("POST", "/users/me/posts", { token: tokens.ada ?? "", body: draft, headers: { prefer } });
    expect([made.body.title, made.headers["preference-applied"]]).toEqual(["Hello", "return=representation"]);
  });

  test.each(["return=everything", "minimal", "", "x-return=minimal", 'note="return=minimal"'])(
    "%s is no wish of ours",
    async (prefer) => {
      const { call, tokens } = await scene();
      const made = await call("POST", "/users/me/posts", { token: tokens.ada ?? "", body: draft, headers: { prefer } });
      expect([made.body.title, made.headers["preference-applied"]]).toEqual(["Hello", undefined]);
    },
  );
});

describe("deleting", () => {
  test("a user takes along their posts, what others wrote under them, their own comments and their sessions", async () => {
    const { call, tokens, ids } = await scene();
    const root = tokens.root ?? "";
    await call("DELETE", `/users/${ids.ada}`, { token: root });
    for (const path of [`/users/${ids.ada}`, `/posts/${ids.post}`, `/comments/${ids.comment}`]) {
      expect((await call("GET", path, { token: root })).status).toBe(404);
    }
    expect((await call("GET", "/users/me", { token: tokens.ada ?? "" })).status).toBe(401);
    expect((await call("GET", "/users/me", { token: tokens.bob ?? "" })).status).toBe(200);
  });
});
