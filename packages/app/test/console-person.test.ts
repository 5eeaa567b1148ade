import { expect, test } from "vitest";
import { testApi } from "./api.ts";

test("who has signed in reads who they are and which operations of operators they may call", async () => {
  const { call, admin, user } = testApi();
  const root = await admin();
  const ada = await user("ada");
  const mine = (await call("GET", "/admin/me", { token: ada.token })).body;
  expect(mine).toEqual({
    id: ada.id,
    name: expect.any(String),
    email: "ada@example.com",
    role: "user",
    second_factor_at: null,
    scopes: [],
  });
  await call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: "operator" } });
  const { role, scopes } = (await call("GET", "/admin/me", { token: ada.token })).body;
  expect(role).toBe("operator");
  expect(scopes).toEqual(expect.arrayContaining(["events:read", "events:replay", "jobs:write"]));
  expect(scopes).not.toContain("providers:write");
  expect((await call("GET", "/admin/me", { token: root.token })).body.scopes).toContain("providers:write");
});

test("a role that waits for a second factor has no scopes yet", async () => {
  const { call, admin } = testApi({ settings: { adminMfa: "required" } });
  const root = await admin();
  expect((await call("GET", "/admin/me", { token: root.token })).body).toMatchObject({ role: "admin", scopes: [] });
});

test("neither a stranger nor an API key is a person", async () => {
  const { call, admin } = testApi();
  const root = await admin();
  expect((await call("GET", "/admin/me")).status).toBe(401);
  const made = await call("POST", "/api-keys", { token: root.token, body: { name: "key", scopes: ["users:read"] } });
  expect((await call("GET", "/admin/me", { token: made.body.key })).status).toBe(403);
});
