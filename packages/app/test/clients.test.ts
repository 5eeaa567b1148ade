import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scopes = ["posts:read"];

test("a client shows its secret once, and only the digest is kept", async () => {
  const { call, admin, ports } = testApi();
  const root = await admin();
  const made = await call("POST", "/admin/clients", {
    token: root.token,
    body: { name: "c", user_id: root.id, scopes },
  });
  expect([made.status, made.headers["cache-control"]]).toEqual([201, "no-store"]);
  expect(made.body.secret).toMatch(/^pcs_[0-9a-f]{64}$/);
  const read = await call("GET", `/admin/clients/${made.body.id}`, { token: root.token });
  expect(JSON.stringify(read.body)).not.toMatch(/secret|digest/);
  const renewed = await call("POST", `/admin/clients/${made.body.id}/secret`, { token: root.token });
  expect(renewed.body.secret).not.toBe(made.body.secret);
  const audit = await ports.storage.audit.list({ resource: "oauth_client", limit: 10 });
  expect(audit.map(({ action }) => action)).toEqual(["admin.clients.renew-secret", "admin.clients.create"]);
  expect(JSON.stringify(audit)).not.toContain("pcs_");
});

test.each<readonly [object]>([
  [{ scopes: ["posts:reed"] }],
  [{ scopes: [] }],
  [{ user_id: "01900000-0000-7000-8000-000000000000" }],
  [{ kind: "public" }],
  ...[
    "http://app.example.com/",
    "http://localhost.example.com/",
    "https://a.example.com/#f",
    "https://u@a.example.com/",
    "javascript:alert(1)",
    "app:/back",
    "https://*.example.com/",
    "/back",
    "https://a.example.com/ b",
  ].map((uri): [object] => [{ redirect_uris: [uri] }]),
])("a client cannot be made of %j", async (body) => {
  const { call, admin } = testApi();
  const root = await admin();
  const given = { name: "c", user_id: root.id, scopes, ...body };
  const made = await call("POST", "/admin/clients", { token: root.token, body: given });
  expect([made.status, made.body.code]).toEqual([400, "validation_failed"]);
});

test.each<readonly [object, readonly string[]]>([
  [{}, ["client_credentials"]],
  [{ redirect_uris: ["https://a.example.com/"] }, ["authorization_code", "refresh_token"]],
  [{ redirect_uris: ["https://a.example.com/"], kind: "public" }, ["authorization_code", "refresh_token"]],
  [
    { redirect_uris: ["https://a.example.com/"], grant_types: ["client_credentials", "authorization_code"] },
    ["authorization_code", "client_credentials"],
  ],
])("a client that is made with %j may use the grant types %j", async (more, types) => {
  const { call, admin } = testApi();
  const root = await admin();
  const body = { name: "c", user_id: root.id, scopes, ...more };
  const made = await call("POST", "/admin/clients", { token: root.token, body });
  expect([made.status, made.body.grant_types]).toEqual([201, types]);
});

test.each<readonly [object, readonly string[]]>([
  [{}, ["authorization_code"]],
  [{}, ["refresh_token"]],
  [{}, []],
  [{}, ["password"]],
  [{ redirect_uris: ["https://a.example.com/"] }, ["refresh_token"]],
  [{ redirect_uris: ["https://a.example.com/"], kind: "public" }, ["authorization_code", "client_credentials"]],
])("a client that is made with %j cannot have the grant types %j", async (more, types) => {
  const { call, admin } = testApi();
  const root = await admin();
  const body = { name: "c", user_id: root.id, scopes, ...more };
  const refused = await call("POST", "/admin/clients", { token: root.token, body: { ...body, grant_types: types } });
  expect([refused.status, refused.body.code]).toEqual([400, "validation_failed"]);
  const { id } = (await call("POST", "/admin/clients", { token: root.token, body })).body;
  const path = `/admin/clients/${id}/grant-types`;
  const later = await call("PUT", path, { token: root.token, body: { grant_types: types } });
  expect([later.status, later.body.code]).toEqual([400, "validation_failed"]);
});

test("a client with keys shows them, has no secret, and takes others by an administrator alone", async () => {
  const api = testApi();
  const { call, ports } = api;
  const root = await api.admin();
  const keys = ["a", "b"].map((kid) => ({ ...ports.jwtVerifier.newKey(kid), comment: "not kept" }));
  const body = { name: "c", user_id: root.id, scopes, jwks: { keys } };
  const made = await call("POST", "/admin/clients", { token: root.token, body });
  const shown = keys.map(({ comment: _none, ...key }) => key);
  expect([made.status, made.body.secret, made.body.jwks]).toEqual([201, null, { keys: shown }]);
  const path = `/admin/clients/${made.body.id}`;
  expect((await call("GET", path, { token: root.token })).body.jwks).toEqual({ keys: shown });
  const refused = await call("POST", `${path}/secret`, { token: root.token });
  expect([refused.status, refused.body.code]).toEqual([409, "state_conflict"]);
  const next = { keys: [ports.jwtVerifier.newKey("c")] };
  const key = await call("POST", "/api-keys", { token: root.token, body: { name: "k", scopes: ["clients:write"] } });
  expect((await call("POST", `${path}/keys`, { token: key.body.key, body: next })).body.code).toBe("forbidden");
  expect((await call("POST", `${path}/keys`, { token: root.token, body: next })).body.jwks).toEqual(next);
  const audit = await ports.storage.audit.list({ resource: "oauth_client", limit: 1 });
  expect(audit[0]).toMatchObject({ action: "admin.clients.replace-keys", fields: ["jwks"] });
});

test.each<readonly [string, readonly object[], object]>([
  ["a private key", [{ kty: "memory", x: "x", d: "d" }], {}],
  ["a shared secret", [{ kty: "oct", k: "k" }], {}],
  ["a key for encryption", [{ kty: "memory", x: "x", use: "enc" }], {}],
  ["no key", [], {}],
  ["six keys", Array(6).fill({ kty: "memory", x: "x" }), {}],
  ["two keys of one name", Array(2).fill({ kty: "memory", x: "x", kid: "k" }), {}],
  ["keys, being public", [{ kty: "memory", x: "x" }], { kind: "public", redirect_uris: ["https://a.example.com/"] }],
])("a client cannot be made with %s", async (_what, keys, more) => {
  const { call, admin } = testApi();
  const root = await admin();
  const given = { name: "c", user_id: root.id, scopes, jwks: { keys }, ...more };
  const made = await call("POST", "/admin/clients", { token: root.token, body: given });
  expect([made.status, made.body.code]).toEqual([400, "validation_failed"]);
});

test("a role that looks after clients makes none that act for an administrator, and no key makes one", async () => {
  const api = testApi({ resources: [], roles: { keeper: { scopes: ["clients:*"], description: "Keeps clients." } } });
  const { call } = api;
  const root = await api.admin();
  const keeper = await api.user("keeper");
  await call("PATCH", `/users/${keeper.id}`, { token: root.token, body: { role: "keeper" } });
  const make = (token: string, user_id: string) =>
    call("POST", "/admin/clients", { token, body: { name: "c", user_id, scopes } });
  expect((await make(keeper.token, root.id)).body.code).toBe("forbidden");
  expect((await make(keeper.token, keeper.id)).status).toBe(201);
  const ofRoot = await make(root.token, root.id);
  const stolen = await call("POST", `/admin/clients/${ofRoot.body.id}/secret`, { token: keeper.token });
  expect(stolen.body.code).toBe("forbidden");
  const widened = await call("PUT", `/admin/clients/${ofRoot.body.id}/grant-types`, {
    token: keeper.token,
    body: { grant_types: ["client_credentials"] },
  });
  expect(widened.body.code).toBe("forbidden");
  const key = await call("POST", "/api-keys", {
    token: root.token,
    body: { name: "k", scopes: ["clients:write", "clients:read"] },
  });
  expect((await make(key.body.key, root.id)).body.code).toBe("forbidden");
  expect((await call("GET", "/admin/clients", { token: key.body.key })).status).toBe(200);
});
