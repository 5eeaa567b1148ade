import { describe, expect, test } from "vitest";
import { idInKey, keyTextOf } from "../src/keys/authenticate-key.ts";
import { testApi } from "./api.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const password = "correct horse battery";

/** A user with a key. */
const scene = async (scopes: readonly string[] = ["posts:read"]) => {
  const api = testApi();
  const ada = await api.user("ada");
  const make = (body: object, token = ada.token) => api.call("POST", "/api-keys", { token, body });
  const made = await make({ name: "export", scopes });
  const key: string = made.body.key;
  return { ...api, ada, make, made, key, id: String(made.body.id) };
};

describe("the text of an API key", () => {
  const id = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a";

  test.each([
    [id, 7],
    ["00000000-0000-0000-0000-000000000000", 0],
    ["ffffffff-ffff-ffff-ffff-ffffffffffff", 255],
  ])("names the row %s", (row, filling) => {
    const text = keyTextOf(row, new Uint8Array(32).fill(filling));
    expect(text).toMatch(/^ak_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/);
    expect(idInKey(text)).toBe(row);
  });

  test("is not the same with one character changed", () => {
    const text = keyTextOf(id, new Uint8Array(32).fill(7));
    for (let index = 3; index < text.length; index += 1) {
      const other = text[index] === "A" ? "B" : "A";
      expect(idInKey(text.slice(0, index) + other + text.slice(index + 1))).toBeUndefined();
    }
    for (const wrong of ["", "ak_", text.slice(1), `${text}0`, text.toUpperCase()]) {
      expect(idInKey(wrong)).toBeUndefined();
    }
  });
});

describe("API keys", () => {
  test("do what their scopes say, and nothing else", async () => {
    const { call, key, made } = await scene();
    expect([made.status, made.headers["cache-control"]]).toEqual([201, "no-store"]);
    expect((await call("GET", "/users/me/posts", { token: key })).status).toBe(200);
    const refused = await call("POST", "/users/me/posts", { token: key, body: { title: "T", body: "B" } });
    expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, "insufficient_scope", "posts:write"]);
    expect(refused.headers["www-authenticate"]).toBe(
      'Bearer realm="postern", error="insufficient_scope", scope="posts:write"',
    );
  });

  test("include only what their scopes let them read", async () => {
    const { call, key, make } = await scene();
    const refused = await call("GET", "/users/me/posts?include=author", { token: key });
    expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, "insufficient_scope", "users:read"]);
    const both = await make({ name: "both", scopes: ["posts:read", "users:read"] });
    expect((await call("GET", "/users/me/posts?include=author", { token: both.body.key })).status).toBe(200);
  });

  test("of an administrator make no users without the scope for it", async () => {
    const api = testApi();
    const root = await api.admin();
    const made = await api.call("POST", "/api-keys", {
      token: root.token,
      body: { name: "reader", scopes: ["posts:read", "events:read"] },
    });
    const token = made.body.key;
    expect((await api.call("GET", "/admin/events", { token })).status).toBe(200);
    expect((await api.call("GET", "/admin/audit", { token })).body.code).toBe("insufficient_scope");
    const body = { name: "E", email: "eve@example.com", password, role: "admin" };
    expect((await api.call("POST", "/users", { token, body })).body.code).toBe("insufficient_scope");
  });

  test("are shown once, and kept as a digest", async () => {
    const { call, ada, key, id } = await scene();
    const read = await call("GET", `/api-keys/${id}`, { token: ada.token });
    expect(read.body).toMatchObject({ id, user_id: ada.id, name: "export", scopes: ["posts:read"], expires_at: null });
    const listed = await call("GET", "/api-keys", { token: ada.token });
    expect(listed.body.data).toHaveLength(1);
    for (const { body } of [read, listed]) {
      expect(JSON.stringify(body)).not.toContain(key.slice(-20));
      expect(JSON.stringify(body)).not.toContain("digest");
    }
  });

  test("are their user's alone", async () => {
    const { call, user, id } = await scene();
    const bob = await user("bob");
    for (const [method, path] of [
      ["GET", `/api-keys/${id}`],
      ["DELETE", `/api-keys/${id}`],
      ["POST", `/api-keys/${id}/rotate`],
      ["DELETE", "/api-keys/1"],
      ["POST", "/api-keys/1/rotate"],
    ] as const) {
      const reply = await call(method, path, { token: bob.token });
      expect([method, reply.status, reply.body.code]).toEqual([method, 404, "not_found"]);
    }
    expect((await call("GET", "/api-keys", { token: bob.token })).body.data).toEqual([]);
  });

  test("are made for others by administrators only", async () => {
    const { call, user, admin, ada } = await scene();
    const [bob, root] = [await user("bob"), await admin()];
    const body = { name: "for Ada", scopes: ["posts:read"], user_id: ada.id };
    expect((await call("POST", "/api-keys", { token: bob.token, body })).body.code).toBe("forbidden");
    expect((await call("POST", "/api-keys", { token: root.token, body })).body.user_id).toBe(ada.id);
    const nobody = { ...body, user_id: "01900000-0000-7000-8000-000000000000" };
    expect((await call("POST", "/api-keys", { token: root.token, body: nobody })).status).toBe(404);
  });

  test("end when they are deleted, with their user, and at their time", async () => {
    const { call, ada, make, key, id, ports } = await scene(["posts:read", "users:write"]);
    const ending = await make({
      name: "short",
      scopes: ["posts:read"],
      expires_at: new Date(ports.clock.now() + day).toISOString(),
    });
    const use = (token: string) => call("GET", "/users/me/posts", { token });
    expect((await use(ending.body.key)).status).toBe(200);
    await ports.clock.advance(day);
    const over = await use(ending.body.key);
    expect([over.status, over.body.code]).toEqual([401, "token_expired"]);
    expect(over.headers["www-authenticate"]).toContain('error="invalid_token"');
    const again = await call("POST", "/sessions", { body: { email: "ada@example.com", password } });
    const other = await make({ name: "other", scopes: ["posts:read"] }, again.body.access_token);
    expect((await call("DELETE", `/api-keys/${other.body.id}`, { token: again.body.access_token })).status).toBe(204);
    expect((await use(other.body.key)).body.code).toBe("invalid_token");
    expect((await use(key)).status).toBe(200);
    expect((await call("DELETE", `/users/${ada.id}`, { token: key })).status).toBe(204);
    expect((await use(key)).body.code).toBe("invalid_token");
    expect(id).not.toBe(other.body.id);
  });

  test("have the role that their user has now", async () => {
    const { call, admin, ada, make } = await scene();
    const root = await admin();
    const role = (to: string) => call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: to } });
    const token = (await make({ name: "audit", scopes: ["audit:read"] })).body.key;
    expect((await call("GET", "/admin/audit", { token })).body.code).toBe("forbidden");
    await role("admin");
    expect((await call("GET", "/admin/audit", { token })).status).toBe(200);
    await role("user");
    expect((await call("GET", "/admin/audit", { token })).body.code).toBe("forbidden");
  });

  test("note their last use once a minute", async () => {
    const { call, ada, key, id, ports } = await scene();
    const lastUse = async () => (await call("GET", `/api-keys/${id}`, { token: ada.token })).body.last_used_at;
    const use = () => call("GET", "/users/me/posts", { token: key });
    expect(await lastUse()).toBeNull();
    await Promise.all([use(), use(), use()]);
    const first = await lastUse();
    expect(first).toBe(new Date(ports.clock.now()).toISOString());
    await ports.clock.advance(minute - 1);
    await use();
    expect(await lastUse()).toBe(first);
    await ports.clock.advance(1);
    await use();
    expect(await lastUse()).toBe(new Date(ports.clock.now()).toISOString());
  });

  test("are good though their use cannot be noted", async () => {
    const { call, key, ports } = await scene();
    ports.storage.resources.update = () => Promise.reject(new Error("read-only"));
    expect((await call("GET", "/users/me/posts", { token: key })).status).toBe(200);
  });

  test("are replaced with an overlap", async () => {
    const { call, ada, key, id, ports } = await scene();
    const use = (token: string) => call("GET", "/users/me/posts", { token });
    const rotated = await call("POST", `/api-keys/${id}/rotate`, { token: ada.token, body: { overlap_seconds: 60 } });
    expect(rotated.body).toMatchObject({ name: "export", scopes: ["posts:read"], expires_at: null });
    expect([(await use(key)).status, (await use(rotated.body.key)).status]).toEqual([200, 200]);
    await ports.clock.advance(minute);
    expect([(await use(key)).body.code, (await use(rotated.body.key)).status]).toEqual(["token_expired", 200]);
    const limited = await call("POST", "/api-keys", {
      token: ada.token,
      body: { name: "month", scopes: ["posts:read"], expires_at: new Date(ports.clock.now() + 30 * day).toISOString() },
    });
    const path = `/api-keys/${limited.body.id}`;
    const second = await call("POST", `${path}/rotate`, { token: ada.token });
    expect(second.body.expires_at).toBe(limited.body.expires_at);
    const old = await call("GET", path, { token: ada.token });
    expect(old.body.expires_at).toBe(new Date(ports.clock.now() + day).toISOString());
  });

  test("are made by a recent sign-in or with the password", async () => {
    const { call, make, ada, id, ports } = await scene();
    await ports.clock.advance(5 * minute + 1);
    const body = { name: "later", scopes: ["posts:read"] };
    const old = await make(body);
    expect([old.status, old.body.code]).toEqual([401, "sign_in_too_old"]);
    expect(old.headers["www-authenticate"]).toBe(
      'Bearer realm="postern", error="insufficient_user_authentication", max_age="300"',
    );
    expect((await make({ ...body, current_password: "wrong" })).body.code).toBe("invalid_credentials");
    expect((await make({ ...body, current_password: password })).status).toBe(201);
    const rotate = (given: object) => call("POST", `/api-keys/${id}/rotate`, { token: ada.token, body: given });
    expect((await rotate({})).body.code).toBe("sign_in_too_old");
    expect((await rotate({ current_password: password })).status).toBe(201);
  });

  test("are made by no key, whatever its scopes", async () => {
    const { call, key, id } = await scene(["api-keys:read", "api-keys:write"]);
    const body = { name: "child", scopes: ["api-keys:write"] };
    expect((await call("POST", "/api-keys", { token: key, body })).body.code).toBe("forbidden");
    expect((await call("POST", `/api-keys/${id}/rotate`, { token: key })).body.code).toBe("forbidden");
    expect((await call("DELETE", `/api-keys/${id}`, { token: key })).status).toBe(204);
  });

  test.each([
    [{ scopes: ["posts:reed"] }, "/scopes"],
    [{ scopes: [] }, "/scopes"],
    [{ scopes: ["posts:read"], name: "" }, "/name"],
    [{ scopes: ["posts:read"], expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
  ])("cannot be made of %j", async (given, pointer) => {
    const { make } = await scene();
    const refused = await make({ name: "wrong", ...given });
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      400,
      "validation_failed",
      pointer,
    ]);
  });

  test("are fifty at most for a user", async () => {
    const { make, ports } = await scene();
    const body = { name: "one more", scopes: ["posts:read"] };
    for (let made = 1; made < 49; made += 1) {
      expect((await make(body)).status).toBe(201);
      await ports.clock.advance(200);
    }
    const last = await Promise.all([make(body), make(body)]);
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });
});
