import { defineResource, ownedBy, reference, text } from "@postern/core";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const id = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a";
const other = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5b";
const draft = { title: "Hello", body: "World" };
const isNew = { "if-none-match": "*" };

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const [ada, bob] = [await api.user("ada"), await api.user("bob")];
  const put = (
    path: string,
    body: object,
    token = ada.token,
    headers: Record<string, string> = isNew,
    version = "v2",
  ) => api.call("PUT", path, { token, body, headers: { "if-match": undefined, ...headers }, version });
  return { ...api, ada, bob, put };
};

describe("PUT with If-None-Match: * and an id of the client's own", () => {
  test("creates once, and is refused from then on without a change", async () => {
    const { put, call, ada } = await scene();
    const made = await put(`/posts/${id}`, draft);
    expect(made).toMatchObject({ status: 201, body: { id, user_id: ada.id, ...draft, status: "draft" } });
    expect(made.headers).toMatchObject({ location: `/api/v2/posts/${id}`, etag: expect.stringMatching(/^"1\./) });
    const again = await put(`/posts/${id}`, { ...draft, title: "Other" });
    expect(again).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect((await call("GET", `/posts/${id}`, { token: ada.token })).body.title).toBe("Hello");
    const replaced = await put(`/posts/${id}`, { ...draft, title: "Other" }, ada.token, {
      "if-match": made.headers.etag ?? "",
    });
    expect(replaced).toMatchObject({ status: 200, body: { title: "Other" } });
  });

  test("does in the place of If-Match in v2, and alone: without it nothing is created", async () => {
    const { put } = await scene();
    expect((await put(`/posts/${id}`, draft, undefined, {})).status).toBe(404);
    expect((await put(`/posts/${id}`, draft, undefined, { "if-match": "*" })).status).toBe(404);
    expect((await put(`/posts/${id}`, draft, undefined, { ...isNew, "if-match": "*" })).status).toBe(404);
    const older = await put(`/posts/${id}`, { title: "Hello", content: "World" }, undefined, isNew, "v1");
    expect(older).toMatchObject({ status: 201, body: { id, content: "World" } });
  });

  test("tells those who may not see a row no more than that the id is taken", async () => {
    const { put, ada, bob } = await scene();
    await put(`/posts/${id}`, draft, ada.token);
    expect((await put(`/posts/${id}`, draft, bob.token)).status).toBe(412);
    expect((await put(`/posts/${id}`, draft, bob.token, { "if-match": "*" })).status).toBe(404);
  });

  test("of two callers lets one create", async () => {
    const { put } = await scene();
    const answers = await Promise.all([1, 2, 3].map((n) => put(`/posts/${id}`, { ...draft, title: `${n}` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 412, 412]);
  });

  test("takes UUIDv7s only", async () => {
    const { put } = await scene();
    expect(await put("/posts/6f9619ff-8b86-4011-b42d-00c04fc964ff", draft)).toMatchObject({
      status: 400,
      body: { code: "invalid_parameter", errors: [{ parameter: "id", detail: expect.stringContaining("UUIDv7") }] },
    });
    expect((await put("/posts/1", draft)).status).toBe(404);
  });

  test("checks the parent in the body like the one in a path", async () => {
    const { put, call, ada, bob } = await scene();
    expect(await put(`/posts/${id}`, { ...draft, user_id: bob.id })).toMatchObject({
      status: 404,
      body: { code: "not_found", errors: [{ pointer: "/user_id" }] },
    });
    expect((await put(`/posts/${id}`, { ...draft, user_id: ada.id, id })).status).toBe(201);
    const remark = { body: "Well said." };
    expect(await put(`/comments/${other}`, remark)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", errors: [{ pointer: "/post_id", code: "required" }] },
    });
    for (const post_id of [id, other, "1", 7, null].slice(1)) {
      const refused = await put(`/comments/${other}`, { ...remark, post_id });
      expect([400, 404]).toContain(refused.status);
      expect(refused.body.errors).toMatchObject([{ pointer: "/post_id" }]);
    }
    // A draft of somebody else is not there, as under `/posts/{id}/comments`.
    expect((await put(`/comments/${other}`, { ...remark, post_id: id }, bob.token)).status).toBe(404);
    expect(await put(`/comments/${other}`, { ...remark, post_id: id })).toMatchObject({
      status: 201,
      body: { id: other, post_id: id, user_id: ada.id },
    });
    expect((await call("GET", `/posts/${id}/comments`, { token: ada.token, version: "v2" })).body.data).toHaveLength(1);
  });

  test("sets nothing that the server sets, and no other owner", async () => {
    const { put, ada, bob } = await scene();
    await put(`/posts/${id}`, { ...draft, status: "published" });
    for (const more of [{ created_at: "2026-01-01T00:00:00.000Z" }, { id }, { user_id: ada.id }]) {
      expect(await put(`/comments/${other}`, { body: "x", post_id: id, ...more }, bob.token)).toMatchObject({
        status: 400,
        body: { code: "field_read_only", errors: [{ pointer: `/${Object.keys(more)[0]}` }] },
      });
    }
  });

  test("answers fields, and nothing but headers to those who prefer so", async () => {
    const { put, ada } = await scene();
    expect((await put(`/posts/${id}?fields=title`, draft)).body).toEqual({ title: "Hello" });
    const minimal = await put(`/posts/${other}`, draft, ada.token, { ...isNew, prefer: "return=minimal" });
    expect([minimal.status, minimal.body, minimal.headers.location]).toEqual([
      204,
      undefined,
      `/api/v2/posts/${other}`,
    ]);
  });

  test("makes no users", async () => {
    const { put } = await scene();
    expect((await put(`/users/${id}`, { name: "Eve", email: "eve@example.com" })).status).toBe(404);
  });

  test("holds for declared resources", async () => {
    const task = defineResource({
      name: "task",
      plural: "tasks",
      description: "Something to do.",
      fields: {
        user_id: reference("user", { onDelete: "cascade", description: "Whose task it is." }),
        title: text(100, { description: "What to do." }),
      },
      owner: "user_id",
      access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
    });
    const { call, user } = testApi({ resources: [task] });
    const { id: userId, token } = await user("ada");
    const put = () =>
      call("PUT", `/tasks/${id}`, {
        token,
        version: "v2",
        body: { title: "Sleep" },
        headers: { "if-match": undefined, ...isNew },
      });
    expect(await put()).toMatchObject({ status: 201, body: { id, user_id: userId, title: "Sleep" } });
    expect((await put()).status).toBe(412);
  });
});
