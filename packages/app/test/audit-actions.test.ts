import { newEvent } from "@postern/core/testing";
import { defineJob, newJob, Permanent } from "@postern/jobs";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const password = "correct horse battery";

const scene = async () => {
  const pay = defineJob("pay", async () => {
    throw new Permanent("card 4242 was refused");
  });
  const api = testApi({ jobs: [pay], settings: { rateLimits: "off" } });
  const root = await api.admin();
  const { call, ports } = api;
  /** What an action left in the log: `action result`, oldest first. */
  const during = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const [before] = await ports.storage.audit.list({ limit: 1 });
    await work();
    const entries = await ports.storage.audit.list({ after: before?.id ?? 0, limit: 100 });
    return entries.map(({ action, resource, fields, result }) =>
      [action, resource ?? "-", ...(fields.includes("role") ? ["role"] : []), result].join(" "),
    );
  };
  const signIn = (email: string, given = password) => call("POST", "/sessions", { body: { email, password: given } });
  return { ...api, root, pay, during, signIn };
};

test("every sign-in, and every end of one, is in the audit log", async () => {
  const { call, user, during, signIn, ports } = await scene();
  const ada = await user("ada");
  expect(await during(() => signIn("ada@example.com", "wrong"))).toEqual(["sessions.create user invalid_credentials"]);
  expect(await during(() => signIn("nobody@example.com"))).toEqual(["sessions.create - invalid_credentials"]);
  expect(await during(() => signIn("ada@example.com"))).toEqual(["sessions.create session done"]);
  for (let n = 2; n < 20; n += 1) await signIn("ada@example.com");
  expect(await during(() => signIn("ada@example.com"))).toEqual([
    "sessions.displace session done",
    "sessions.create session done",
  ]);
  const other = await user("bob");
  const refresh = () => call("POST", "/sessions/refresh", { body: { refresh_token: other.refresh } });
  expect(await during(refresh)).toEqual(["sessions.refresh session done"]);
  expect(await during(refresh)).toEqual(["sessions.refresh session done"]);
  await ports.clock.advance(30_000);
  expect(await during(refresh)).toEqual(["sessions.reuse-detected session done"]);
  const { access_token: token } = (await signIn("bob@example.com")).body;
  expect(await during(() => call("DELETE", "/sessions/current", { token }))).toEqual(["sessions.delete session done"]);
  const again = (await signIn("bob@example.com")).body.access_token;
  expect(await during(() => call("DELETE", "/sessions", { token: again }))).toEqual([
    "sessions.deleteAll session done",
  ]);
  expect(
    await during(() => call("POST", "/sessions/mfa", { body: { challenge: "x".repeat(64), code: "123456" } })),
  ).toEqual(["sessions.finish - invalid_token"]);
  expect(ada.id).not.toBe(other.id);
  expect(JSON.stringify(await ports.storage.audit.list({ limit: 100 }))).not.toMatch(/@example|horse/);
});

test("everything that makes, shows or ends keys, clients and roles is in the audit log", async () => {
  const { call, user, during, root, signIn } = await scene();
  const ada = await user("ada");
  const { token } = root;
  let key = { id: "" };
  const make = async () => {
    key = (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["posts:read"] } })).body;
  };
  expect(await during(make)).toEqual(["api-keys.create api_key done"]);
  expect(await during(() => call("POST", `/api-keys/${key.id}/rotate`, { token }))).toEqual([
    "api-keys.rotate api_key done",
  ]);
  expect(await during(() => call("DELETE", `/api-keys/${key.id}`, { token }))).toEqual([
    "api-keys.delete api_key done",
  ]);
  let client = { id: "" };
  const makeClient = async () => {
    const body = { name: "c", user_id: root.id, scopes: ["posts:read"] };
    client = (await call("POST", "/admin/clients", { token, body })).body;
  };
  expect(await during(makeClient)).toEqual(["admin.clients.create oauth_client done"]);
  const path = `/admin/clients/${client.id}`;
  expect(await during(() => call("POST", `${path}/secret`, { token }))).toEqual([
    "admin.clients.renew-secret oauth_client done",
  ]);
  const types = { grant_types: ["client_credentials"] };
  expect(await during(() => call("PUT", `${path}/grant-types`, { token, body: types }))).toEqual([
    "admin.clients.replace-grant-types oauth_client done",
  ]);
  expect(await during(() => call("DELETE", path, { token }))).toEqual(["admin.clients.delete oauth_client done"]);
  const promote = () => call("PATCH", `/users/${ada.id}`, { token, body: { role: "viewer" } });
  expect(await during(promote)).toEqual(["users.update user role done"]);
  expect(await during(() => call("POST", "/admin/signing-keys/rotate", { token, body: {} }))).toEqual([
    "admin.signing-keys.rotate signing_key done",
  ]);
  expect((await signIn("ada@example.com")).status).toBe(201);
});

test("the keys that a server makes by itself are in the audit log", async () => {
  const { ports, signIn, user } = await scene();
  await user("ada");
  await signIn("ada@example.com");
  const made = await ports.storage.audit.list({ action: "signing-keys.create", limit: 10 });
  expect(made.map(({ actor, resource }) => [actor, resource])).toEqual(
    [1, 2].map(() => [{ kind: "operator", id: "server" }, "signing_key"]),
  );
});

test("everybody who reads payloads is in the audit log: of one thing, and of a list", async () => {
  const { call, app, ports, during, pay, root, user } = await scene();
  const { token } = root;
  await ports.storage.events.accept([newEvent("evt_1")]);
  const [event] = await ports.storage.events.list({ limit: 1 });
  const see = (path: string, who = token) => during(() => call("GET", path, { token: who }));
  expect(await see(`/admin/events/${event?.id}`)).toEqual(["events:reveal event done"]);
  expect(await see("/admin/jobs")).toEqual([]);
  const [id] = await app.enqueue(newJob(pay, {}));
  const worker = app.worker({ name: "only", concurrency: 1 });
  await worker.start();
  await worker.runDue();
  await ports.clock.advance(0);
  expect(await see("/admin/jobs")).toEqual(["events:reveal job done"]);
  expect(await see(`/admin/jobs/${id}`)).toEqual(["events:reveal job done"]);
  const viewer = await user("viewer");
  await call("PATCH", `/users/${viewer.id}`, { token, body: { role: "viewer" } });
  expect(await see("/admin/jobs", viewer.token)).toEqual([]);
  expect(await see(`/admin/jobs/${id}`, viewer.token)).toEqual([]);
  await worker.stop(0);
});

test.each(["v1", "v2"])("an export is lines of JSON in %s, with links to the next page", async (version) => {
  const { call, root, ports, user } = await scene();
  await user("ada");
  const { token } = root;
  const lines = (target: string) =>
    call("GET", target, { token, version, headers: { accept: "application/x-ndjson" } });
  const all = await ports.storage.audit.list({ limit: 100 });
  const whole = await lines("/admin/audit");
  expect([whole.status, whole.headers["content-type"], whole.body]).toEqual([200, "application/x-ndjson", undefined]);
  expect(whole.headers.link).not.toContain("next");
  const entries = (whole.text ?? "").trimEnd().split("\n");
  expect(entries.map((line) => JSON.parse(line).id)).toEqual(all.map(({ id }) => String(id)));
  const seen: string[] = [];
  let target: string | undefined = "/admin/audit?limit=2&sort=id&fields=id,place";
  while (target !== undefined) {
    const page: Awaited<ReturnType<typeof lines>> = await lines(target);
    seen.push(...(page.text ?? "").trimEnd().split("\n"));
    target = /<\/api\/v\d([^>]+)>; rel="next"/.exec(page.headers.link ?? "")?.[1];
  }
  expect(seen.map((line) => JSON.parse(line))).toEqual(
    all.toReversed().map(({ id }) => ({ id: String(id), place: null })),
  );
});
