import { anyOf, defineResource, ownedBy, reference, text, withRole } from "@postern/core";
import { newEvent } from "@postern/core/testing";
import { defineJob, newJob, Permanent, schedule } from "@postern/jobs";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const rule = ownedBy("user_id");
const ticket = defineResource({
  name: "ticket",
  plural: "tickets",
  description: "A question of a user.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Who asks." }),
    title: text(100, { description: "What about." }),
  },
  owner: "user_id",
  access: { read: anyOf(rule, withRole("support")), update: rule, delete: rule },
});

const scene = async () => {
  const api = testApi({
    resources: [ticket],
    schedules: [schedule("report", "0 3 * * *", async () => undefined)],
    roles: { support: { scopes: ["events:*"], description: "Helps users." } },
  });
  const root = await api.admin();
  const withRoleOf = async (role: string) => {
    const made = await api.user(role);
    const given = await api.call("PATCH", `/users/${made.id}`, { token: root.token, body: { role } });
    expect([given.status, given.body.role]).toEqual([200, role]);
    return made.token;
  };
  const tokens = {
    user: (await api.user("ada")).token,
    viewer: await withRoleOf("viewer"),
    operator: await withRoleOf("operator"),
    support: await withRoleOf("support"),
    admin: root.token,
  };
  await api.ports.storage.events.accept([newEvent("evt_1")]);
  const [event] = await api.ports.storage.events.list({ limit: 1 });
  return { ...api, root, tokens, eventPath: `/admin/events/${event?.id}` };
};

describe("roles", () => {
  test("give what they are for below /admin, and no more", async () => {
    const { call, tokens, eventPath } = await scene();
    const tries = [
      ["GET", "/admin/events", undefined],
      ["GET", eventPath, undefined],
      ["GET", "/admin/jobs", undefined],
      ["GET", "/admin/audit", undefined],
      ["POST", `${eventPath}/replay`, { force: true }],
      ["POST", "/admin/queues/default/pause", {}],
      ["GET", "/admin/schedules", undefined],
      ["POST", "/admin/schedules/report/pause", {}],
      ["POST", "/admin/schedules/report/resume", undefined],
      ["POST", "/admin/schedules/report/run", undefined],
      ["DELETE", "/admin/providers/nobody", undefined],
      ["PATCH", "/users/01900000-0000-7000-8000-000000000000", { role: "admin" }],
    ] as const;
    const allowed: Record<string, readonly string[]> = {};
    for (const [who, token] of Object.entries(tokens)) {
      const replies = [];
      for (const [method, path, body] of tries) {
        const { body: answer } = await call(method, path, { token, ...(body && { body }) });
        if (answer?.code !== "forbidden") replies.push(`${method} ${path.replace(eventPath, "/event")}`);
      }
      allowed[who] = replies;
    }
    const foreign = "PATCH /users/01900000-0000-7000-8000-000000000000";
    const reading = ["GET /admin/events", "GET /event", "GET /admin/jobs", "GET /admin/audit"];
    const running = [
      ...["POST /event/replay", "POST /admin/queues/default/pause"],
      "GET /admin/schedules",
      ...["pause", "resume", "run"].map((action) => `POST /admin/schedules/report/${action}`),
    ];
    expect(allowed).toEqual({
      user: [foreign],
      viewer: [...reading, "GET /admin/schedules", foreign],
      operator: [...reading, ...running, foreign],
      support: ["GET /admin/events", "GET /event", "POST /event/replay", foreign],
      admin: [...reading, ...running, "DELETE /admin/providers/nobody", foreign],
    });
    for (const token of [tokens.viewer, tokens.operator, tokens.support]) {
      const other = await call("PATCH", "/users/01900000-0000-7000-8000-000000000000", { token, body: { name: "X" } });
      expect(other.status).toBe(404);
      expect((await call("GET", "/users", { token })).body.data).toHaveLength(1);
    }
  });

  test("mask payloads for callers who may not see them, and record who saw one", async () => {
    const { call, tokens, eventPath, root } = await scene();
    const masked = await call("GET", eventPath, { token: tokens.viewer });
    expect(masked.body).toMatchObject({ masked: true, data: null, body_base64: "", headers: {} });
    const shown = await call("GET", eventPath, { token: tokens.operator });
    expect(shown.body.masked).toBe(false);
    expect(shown.body.body_base64).not.toBe("");
    const key = await call("POST", "/api-keys", {
      token: root.token,
      body: { name: "watch", scopes: ["events:read"] },
    });
    expect((await call("GET", eventPath, { token: key.body.key })).body.masked).toBe(true);
    const audit = await call("GET", "/admin/audit?filter[action]=events:reveal", { token: root.token });
    expect(audit.body.data).toHaveLength(1);
    expect(audit.body.data[0]).toMatchObject({ resource: "event", action: "events:reveal" });
    const changes = await call("GET", "/admin/audit?filter[reads]=false&limit=100", { token: root.token });
    const actions = changes.body.data.map(({ action }: { action: string }) => action);
    expect(actions).toContain("api-keys.create");
    expect(actions).not.toContain("events:reveal");
  });

  test("mask what handlers said, which may quote a payload", async () => {
    const pay = defineJob("pay", async () => {
      throw new Permanent("card 4242 was refused");
    });
    const api = testApi({ jobs: [pay] });
    const { app, call, ports } = api;
    const root = await api.admin();
    const viewer = await api.user("viewer");
    await call("PATCH", `/users/${viewer.id}`, { token: root.token, body: { role: "viewer" } });
    const [id] = await app.enqueue(newJob(pay, {}));
    const worker = app.worker({ name: "only", concurrency: 1 });
    await worker.start();
    await worker.runDue();
    await ports.clock.advance(0);
    const errors = async (token: string): Promise<readonly string[]> => {
      const { body: list } = await call("GET", "/admin/jobs", { token });
      const { body: one } = await call("GET", `/admin/jobs/${id}`, { token });
      return [list.data[0].last_error, one.last_error, one.failures[0].error];
    };
    const all = (text: string) => Array.from({ length: 3 }, () => expect.stringContaining(text));
    expect(await errors(root.token)).toEqual(all("card 4242 was refused"));
    expect(await errors(viewer.token)).toEqual(all("masked: this needs the scope events:reveal"));
  });

  test("are asked for by access rules", async () => {
    const { call, tokens } = await scene();
    const made = await call("POST", "/tickets", { token: tokens.user, body: { title: "Help" } });
    const read = async (token: string) => (await call("GET", `/tickets/${made.body.id}`, { token })).status;
    expect([await read(tokens.user), await read(tokens.support), await read(tokens.viewer)]).toEqual([200, 200, 404]);
    const write = await call("PATCH", `/tickets/${made.body.id}`, { token: tokens.support, body: { title: "No" } });
    expect(write.status).toBe(403);
  });

  test("stand in the documents, those of the application too", async () => {
    const { call } = await scene();
    const { body } = await call("GET", "/openapi.json");
    expect(body.components.schemas.user_selection.properties.role.enum).toEqual([
      "user",
      "viewer",
      "operator",
      "admin",
      "support",
    ]);
  });

  test("that nobody has configured cannot be given", async () => {
    const { call, root } = await scene();
    const refused = await call("PATCH", `/users/${root.id}`, { token: root.token, body: { role: "boss" } });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/role"]);
  });

  test("cannot name a scope that no operation needs", () => {
    expect(() => testApi({ roles: { support: { scopes: ["event:read"], description: "" } } })).toThrow(
      'role "support": no operation needs the scope "event:read"',
    );
  });
});
