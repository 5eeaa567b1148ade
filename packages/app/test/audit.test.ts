import { describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

interface Entry {
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly [member: string]: unknown;
}

const scene = async () => {
  const api = testApi();
  const root = await api.admin();
  const log = async (query = ""): Promise<readonly Entry[]> => {
    const { status, body } = await api.call("GET", `/admin/audit?limit=100${query}`, { token: root.token });
    expect(status).toBe(200);
    return body.data;
  };
  return { ...api, root, log };
};

/** The members of an entry, without its own id and time. */
const told = ({ action, resource, resource_id, result, fields }: Entry) => ({
  action,
  resource,
  resource_id,
  result,
  fields,
});

describe("the audit log", () => {
  test("holds every write with who, what and which fields, and no values", async () => {
    const { call, user, log } = await scene();
    const ada = await user("ada");
    const post = await call("POST", "/users/me/posts", { token: ada.token, body: { title: "Secret", body: "Diary" } });
    const path = `/posts/${post.body.id}`;
    await call("PATCH", path, { token: ada.token, body: { title: "Other", body: "Diary" } });
    await call("DELETE", path, { token: ada.token });
    const entries = await log(`&filter[actor]=${ada.id}&filter[resource]=post`);
    const about = { resource: "post", resource_id: post.body.id, result: "done" };
    expect(entries.map(told)).toEqual([
      { ...about, action: "posts.delete", fields: [] },
      { ...about, action: "posts.update", fields: ["title"] },
      { ...about, action: "posts.create", fields: ["title", "body", "status"] },
    ]);
    expect(entries[0]).toMatchObject({
      actor: { kind: "user", id: ada.id },
      credential: expect.stringMatching(/^session:[0-9a-f-]{36}$/),
      request_id: "request-1",
      address: "192.0.2.1",
    });
    expect(JSON.stringify(entries)).not.toMatch(/Secret|Diary|Other/);
  });

  test("holds what happened to credentials, failures included", async () => {
    const { call, user, log, ports } = await scene();
    const ada = await user("ada");
    const password = "correct horse battery";
    await call("POST", "/sessions", { body: { email: "ada@example.com", password: "wrong password" } });
    await call("POST", "/sessions", { body: { email: "nobody@example.com", password: "wrong password" } });
    const next = await call("POST", "/sessions/refresh", { body: { refresh_token: ada.refresh } });
    await ports.clock.advance(30_000);
    await call("POST", "/sessions/refresh", { body: { refresh_token: ada.refresh } });
    expect((await call("GET", "/users/me", { token: next.body.access_token })).status).toBe(401);
    const again = await call("POST", "/sessions", { body: { email: "ada@example.com", password } });
    const token = again.body.access_token;
    const change = (current_password: string) =>
      call("PUT", "/users/me/password", { token, body: { current_password, new_password: "another horse battery" } });
    await change("wrong password");
    await call("DELETE", "/sessions/current", { token });
    const third = await call("POST", "/sessions", { body: { email: "ada@example.com", password } });
    await call("PUT", "/users/me/password", {
      token: third.body.access_token,
      body: { current_password: password, new_password: "another horse battery" },
    });
    const entries = (await log()).toReversed();
    const from = entries.findIndex(({ result }) => result === "invalid_credentials");
    expect(entries.slice(from).map(({ action, result, actor }) => [action, result, actor.kind])).toEqual([
      ["sessions.create", "invalid_credentials", "anonymous"],
      ["sessions.create", "invalid_credentials", "anonymous"],
      ["sessions.refresh", "done", "user"],
      ["sessions.reuse-detected", "done", "anonymous"],
      ["sessions.create", "done", "user"],
      ["users.change-password", "invalid_credentials", "user"],
      ["sessions.delete", "done", "user"],
      ["sessions.create", "done", "user"],
      ["users.change-password", "done", "user"],
    ]);
    expect(entries[from]?.resource_id).toBe(ada.id);
    expect(entries[from + 1]?.resource_id).toBeNull();
    expect(JSON.stringify(entries)).not.toMatch(/horse|wrong password|@example/);
  });

  test("holds who tried what is for administrators only", async () => {
    const { call, user, log } = await scene();
    const ada = await user("ada");
    expect((await call("GET", "/admin/audit", { token: ada.token })).status).toBe(403);
    expect((await log("&filter[action]=admin.audit.list")).map(({ actor, result }) => [actor.id, result])).toEqual([
      [ada.id, "forbidden"],
    ]);
  });

  test("holds twenty such tries of one user in 15 minutes, however many there are", async () => {
    const { call, user, log, ports } = await scene();
    const [ada, bob] = [await user("ada"), await user("bob")];
    const tryIt = async (token: string) => {
      expect((await call("GET", "/admin/events", { token })).status).toBe(403);
    };
    const triesOf = async (id: string) =>
      (await log("&filter[action]=admin.events.list")).filter(({ actor }) => actor.id === id).length;
    for (let n = 0; n < 30; n += 1) await tryIt(ada.token);
    await tryIt(bob.token);
    expect([await triesOf(ada.id), await triesOf(bob.id)]).toEqual([20, 1]);
    await ports.clock.advance(60_000);
    await tryIt(ada.token);
    await tryIt(ada.token);
    expect(await triesOf(ada.id)).toBe(21);
  });

  test("holds what is done at the command line", async () => {
    const { log } = await scene();
    expect((await log("&filter[action]=users.update")).map(({ actor, credential }) => [actor, credential])).toEqual([
      [{ kind: "operator", id: "test" }, "cli"],
    ]);
  });

  test("holds nothing of a write that was refused or failed", async () => {
    const { call, user, log } = await scene();
    const ada = await user("ada");
    const before = await log();
    await call("POST", "/users/me/posts", { token: ada.token, body: { title: "T" } });
    await call("PATCH", "/users/me", { token: ada.token, body: { name: "X" }, headers: { "if-match": '"9.x"' } });
    await call("POST", "/users", { body: { name: "A", email: "ada@example.com", password: "correct horse battery" } });
    expect(await log()).toEqual(before);
  });

  test("is paged, newest first, and narrowed by time", async () => {
    const { call, log, root, ports, user } = await scene();
    const since = new Date(ports.clock.now() + 1).toISOString();
    await ports.clock.advance(1000);
    await user("ada");
    const until = new Date(ports.clock.now() + 1).toISOString();
    await ports.clock.advance(1000);
    await user("bob");
    expect(await log(`&filter[at][gte]=${since}&filter[at][lt]=${until}`)).toHaveLength(2);
    const whole = await log();
    const seen: unknown[] = [];
    let cursor = "";
    do {
      const { body } = await call("GET", `/admin/audit?limit=2${cursor}`, { token: root.token });
      seen.push(...body.data);
      cursor = body.page.next_cursor === null ? "" : `&cursor=${body.page.next_cursor}`;
    } while (cursor !== "");
    expect(seen).toEqual(whole);
  });

  test.each(["since=yesterday", "until=2026-02-30", "who=me", `actor=${"x".repeat(129)}`])(
    "refuses %s",
    async (query) => {
      const { call, root } = await scene();
      const { status, body } = await call("GET", `/admin/audit?${query}`, { token: root.token });
      expect([status, body.errors[0].parameter]).toEqual([400, query.split("=")[0]]);
    },
  );
});

describe("the last administrator", () => {
  const demote = (api: Api, who: string, token: string) =>
    api.call("PATCH", `/users/${who}`, { token, body: { role: "user" } });

  test("can neither step down nor go, until there is another", async () => {
    const { root, user, ...api } = await scene();
    const ada = await user("ada");
    for (const reply of [
      await demote({ ...api, user }, root.id, root.token),
      await api.call("DELETE", "/users/me", { token: root.token }),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([409, "state_conflict"]);
    }
    await api.call("PATCH", `/users/${ada.id}`, { token: root.token, body: { role: "admin" } });
    expect((await demote({ ...api, user }, root.id, root.token)).status).toBe(200);
  });

  test("may change everything else about themself", async () => {
    const { call, root } = await scene();
    expect((await call("PATCH", "/users/me", { token: root.token, body: { name: "Root" } })).status).toBe(200);
  });
});
