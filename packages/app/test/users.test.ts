import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const ada = { name: "Ada", email: "Ada@Example.com", password: "correct horse battery" };

describe("signing up", () => {
  test("answers the new user with a Location, and never the password or its hash", async () => {
    const { call } = testApi();
    const { status, headers, body } = await call("POST", "/users", { body: ada });
    expect(status).toBe(201);
    expect(headers.location).toBe(`/api/v2/users/${body.id}`);
    expect(body).toMatchObject({
      name: "Ada",
      email: "ada@example.com",
      role: "user",
      subscription: { status: "none", since: null },
      phone: null,
    });
    expect(JSON.stringify(body)).not.toMatch(/password|hash|correct/);
  });

  test.each([
    ["a missing email", { email: undefined }, "/email", "required", "validation_failed"],
    ["an address that is none", { email: "nobody" }, "/email", "invalid_format", "validation_failed"],
    ["a password that everybody takes", { password: "PassWord1" }, "/password", "too_common", "validation_failed"],
    ["a short password", { password: "short" }, "/password", "invalid_format", "validation_failed"],
    ["a name of the wrong type", { name: 7 }, "/name", "invalid_type", "validation_failed"],
    ["a name with a NUL", { name: "a\0b" }, "/name", "invalid_format", "validation_failed"],
    ["a name with a direction override", { name: "a\u202eb" }, "/name", "invalid_format", "validation_failed"],
    ["an unknown member", { nickname: "x" }, "/nickname", "unknown_field", "unknown_field"],
    ["an id of one's own", { id: "x" }, "/id", "field_read_only", "field_read_only"],
    ["a role", { role: "admin" }, "/role", "field_read_only", "field_read_only"],
  ])("refuses %s with 400 and a pointer to it", async (_what, changes, pointer, code, problem) => {
    const { call } = testApi();
    const { status, body } = await call("POST", "/users", { body: { ...ada, ...changes } });
    expect(status).toBe(400);
    expect(body.code).toBe(problem);
    expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  test("refuses a taken address, whatever its case", async () => {
    const { call } = testApi();
    await call("POST", "/users", { body: ada });
    const { status, body } = await call("POST", "/users", { body: { ...ada, email: "ADA@example.com" } });
    expect(status).toBe(409);
    expect(body.errors[0].pointer).toBe("/email");
  });

  test("is for administrators only where the settings say so", async () => {
    const { call, ports } = testApi({ settings: { signup: "admin" } });
    expect((await call("POST", "/users", { body: ada })).status).toBe(401);
    const open = testApi({ ports });
    const { token } = await open.user("bob");
    const root = await open.admin();
    expect((await call("POST", "/users", { body: ada, token })).status).toBe(403);
    expect((await call("POST", "/users", { body: ada, token: root.token })).status).toBe(201);
  });

  test("is limited for each address", async () => {
    const { call, ports } = testApi();
    const tries = async (): Promise<number[]> => {
      const statuses: number[] = [];
      for (let n = 0; n < 22; n += 1) statuses.push((await call("POST", "/users", { body: {} })).status);
      return statuses;
    };
    const statuses = await tries();
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 400));
    expect(statuses.slice(20)).toEqual([429, 429]);
    await ports.clock.advance(60_000);
    expect((await call("POST", "/users", { body: ada })).status).toBe(201);
  });
});

describe("reading a user", () => {
  test("selects fields, and no others come", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const { body } = await call("GET", `/users/${id}?fields=name,email`, { token });
    expect(body).toEqual({ name: "ada", email: "ada@example.com" });
  });

  test.each(["nickname", "password", "name,", "", "id,__proto__"])("refuses fields=%s", async (fields) => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const { status, body } = await call("GET", `/users/${id}?fields=${fields}`, { token });
    expect([status, body.code]).toEqual([400, "invalid_fields"]);
  });

  test("answers the caller's own user as me, and says whose it is", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const { body, headers } = await call("GET", "/users/me", { token });
    expect(body.id).toBe(id);
    expect(headers["content-location"]).toBe(`/api/v2/users/${id}`);
  });

  test("answers another user's id exactly as one that does not exist", async () => {
    const { call, user } = testApi();
    const { token } = await user("ada");
    const bob = await user("bob");
    const missing = "01900000-0000-7000-8000-000000000000";
    const replies = await Promise.all(
      [bob.id, missing].map(async (id) => {
        const { status, body } = await call("GET", `/users/${id}`, { token });
        return { status, body: { ...body, instance: undefined } };
      }),
    );
    expect(replies[0]).toEqual(replies[1]);
    expect(replies[0]?.status).toBe(404);
  });

  test.each(["not-a-uuid", "01900000-0000-7000-8000-00000000000A", "1"])("finds nothing under %s", async (id) => {
    const { call, user } = testApi();
    const { token } = await user("ada");
    expect((await call("GET", `/users/${id}`, { token })).status).toBe(404);
  });

  test("needs a token", async () => {
    const { call } = testApi();
    const { status, headers, body } = await call("GET", "/users/me");
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
    expect(headers["www-authenticate"]).toBe('Bearer realm="postern"');
  });

  test("lets an administrator see everybody, and a user themselves", async () => {
    const { call, user, admin } = testApi();
    const ada = await user("ada");
    const root = await admin();
    expect((await call("GET", "/users", { token: root.token })).body.data).toHaveLength(2);
    expect((await call("GET", "/users", { token: ada.token })).body.data).toEqual([
      expect.objectContaining({ id: ada.id }),
    ]);
    expect((await call("GET", `/users/${ada.id}`, { token: root.token })).status).toBe(200);
  });
});

describe("changing a user", () => {
  test("sets another's password without the old one, for administrators only", async () => {
    const { call, user, admin } = testApi();
    const { id, token } = await user("ada");
    const bob = await user("bob");
    const root = await admin();
    const set = (by: string) =>
      call("PUT", `/users/${id}/password`, { token: by, body: { new_password: "another horse battery" } });
    expect([(await set(bob.token)).status, (await set(token)).status]).toEqual([404, 400]);
    expect((await set(root.token)).status).toBe(204);
    expect((await call("GET", "/users/me", { token })).status).toBe(401);
  });

  test("replaces what can be written and keeps what only administrators write", async () => {
    const { call, user, admin } = testApi();
    const { id, token } = await user("ada");
    const root = await admin();
    await call("PATCH", `/users/${id}`, { token: root.token, body: { subscription: { status: "active" } } });
    const body = { name: "Ada L", email: "ada@example.com", phone: "+44" };
    const replaced = await call("PUT", `/users/${id}`, { token, body });
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({
      name: "Ada L",
      phone: "+44",
      address: null,
      subscription: { status: "active" },
    });
    const again = await call("PUT", `/users/${id}`, { token, body: { name: "Ada L", email: "ada@example.com" } });
    expect(again.body.phone).toBeNull();
  });

  test("takes back what it answered: read, edit, put", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const read = (await call("GET", `/users/${id}`, { token })).body;
    const put = await call("PUT", `/users/${id}`, { token, body: { ...read, name: "Edited" } });
    expect([put.status, put.body.name]).toEqual([200, "Edited"]);
    const moved = await call("PUT", `/users/${id}`, {
      token,
      body: { ...read, created_at: "2020-01-01T00:00:00.000Z" },
    });
    expect([moved.status, moved.body.code]).toEqual([400, "field_read_only"]);
  });

  test("cannot make oneself an administrator", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    for (const method of ["PUT", "PATCH"] as const) {
      const { status, body } = await call(method, `/users/${id}`, {
        token,
        body: { name: "Ada", email: "ada@example.com", role: "admin" },
      });
      expect([method, status, body.code]).toEqual([method, 400, "field_read_only"]);
    }
  });

  test("merges a patch: null removes, objects merge, arrays are replaced", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const patch = (body: object) => call("PATCH", `/users/${id}`, { token, body });
    await patch({ phone: "+44", preferences: { theme: "dark", list: [1, 2] } });
    const { body } = await patch({ phone: null, preferences: { theme: null, list: [3], more: true } });
    expect(body).toMatchObject({ phone: null, preferences: { list: [3], more: true } });
    const removed = await patch({ name: null });
    expect([removed.status, removed.body.errors[0].pointer]).toEqual([400, "/name"]);
    expect((await patch({ nickname: "x" })).body.code).toBe("unknown_field");
  });

  test("cannot remove what only administrators write", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    expect((await call("PATCH", `/users/${id}`, { token, body: { role: null } })).status).toBe(400);
    expect((await call("PATCH", `/users/${id}`, { token, body: { created_at: null } })).status).toBe(400);
  });

  test.each([
    ["NUL characters", { a: ["\0"] }],
    ["lone surrogates", { "\ud800": 1 }],
    ["more than 16 KiB in UTF-8", { a: "é".repeat(9_000) }],
  ])("refuses preferences with %s", async (_what, preferences) => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const { status, body } = await call("PATCH", `/users/${id}`, { token, body: { preferences } });
    expect([status, body.errors[0].pointer]).toEqual([400, "/preferences"]);
  });

  test("loses none of many patches at once", async () => {
    const { call, user } = testApi();
    const { id, token } = await user("ada");
    const members = ["a", "b", "c", "d"];
    const replies = await Promise.all(
      members.map((member) => call("PATCH", `/users/${id}`, { token, body: { preferences: { [member]: 1 } } })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await call("GET", `/users/${id}`, { token })).body.preferences).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  });

  test("deletes a user with their posts, comments and sessions", async () => {
    const { call, user, admin } = testApi();
    const ada = await user("ada");
    const root = await admin();
    const post = await call("POST", `/users/${ada.id}/posts`, { token: ada.token, body: { title: "T", body: "B" } });
    expect((await call("DELETE", `/users/${ada.id}`, { token: ada.token })).status).toBe(204);
    expect((await call("GET", `/posts/${post.body.id}`, { token: root.token })).status).toBe(404);
    expect((await call("GET", "/users/me", { token: ada.token })).body.code).toBe("invalid_token");
    expect((await call("DELETE", `/users/${ada.id}`, { token: root.token })).status).toBe(404);
  });
});
