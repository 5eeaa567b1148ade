import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi();
  const { id, token } = await api.admin();
  const { storage, clock } = api.ports;
  const find = async (text: string, as = token) => {
    const { status, body } = await api.call("GET", `/admin/find?id=${encodeURIComponent(text)}`, { token: as });
    expect(status).toBe(200);
    return body.data.map(({ kind, id: of, title }: Record<string, unknown>) => [kind, of, title]);
  };
  const providers = ["stripe", "github"];
  for (const name of providers) {
    const body = { name, key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", scheme: "standard-webhooks" };
    await api.call("POST", "/admin/providers", { token, body });
  }
  return { api, admin: id, token, storage, now: clock.now(), find };
};

test("an id finds what has it, whatever kind of thing it is", async () => {
  const { api, admin, token, storage, now, find } = await scene();
  const [event, other] = await storage.events.accept([
    newEvent("evt_1", { receivedAt: now }),
    newEvent("evt_2", { receivedAt: now, provider: "github", type: "push" }),
  ]);
  const [job] = await storage.jobRecords.list({ eventId: event?.id ?? 0, limit: 1 });
  expect(await find(String(event?.id))).toContainEqual(["event", String(event?.id), "invoice.paid"]);
  expect(await find(String(job?.id))).toContainEqual(["job", String(job?.id), "log"]);
  expect(await find("evt_2")).toEqual([["event", String(other?.id), "push"]]);
  expect(await find("github")).toEqual([["provider", "github", "github"]]);
  expect(await find(admin)).toEqual(
    expect.arrayContaining([
      ["user", admin, expect.any(String)],
      ["audit_entries", admin, expect.any(String)],
    ]),
  );
  const plan = await api.call("POST", "/admin/plans", { token, body: { action: "replay" } });
  expect(await find(plan.body.id)).toContainEqual(["plan", plan.body.id, "replay"]);
  const key = await api.call("POST", "/api-keys", { token, body: { name: "nightly", scopes: ["posts:read"] } });
  expect(await find(key.body.id)).toContainEqual(["api_key", key.body.id, "nightly"]);
  const failed = await storage.jobs.claim({ runnerId: 1_000_000, queue: "default", limit: 1, now });
  await storage.jobs.finish(
    failed.map((one) => ({ job: one, end: { to: "dead", error: "Error: no use" } })),
    now,
  );
  const [cause] = (await api.call("GET", "/admin/causes", { token })).body.data;
  expect(await find(cause.id)).toEqual([["cause", cause.id, "log"]]);
  for (const nothing of ["999999", "evt_none", "nobody", "\u{1f600}", "0", "a".repeat(256)]) {
    expect(await find(nothing)).toEqual([]);
  }
});

test("those who are no administrators find no account", async () => {
  const { api, admin, token, find } = await scene();
  const viewer = await api.user("viewer");
  await api.call("PATCH", `/users/${viewer.id}`, { token, body: { role: "viewer" } });
  expect((await find(admin, viewer.token)).map(([kind]: readonly string[]) => kind)).toEqual(["audit_entries"]);
  const stranger = await api.user("eve");
  expect((await api.call("GET", "/admin/find?id=stripe", { token: stranger.token })).status).toBe(403);
});

test("only those kinds are found that the caller may read", async () => {
  const { api, token, storage, now, find } = await scene();
  const [event] = await storage.events.accept([newEvent("evt_1", { receivedAt: now })]);
  const [job] = await storage.jobRecords.list({ limit: 1 });
  const body = { name: "events", scopes: ["events:read"] };
  const { key } = (await api.call("POST", "/api-keys", { token, body })).body;
  expect(await find("evt_1", key)).toEqual([["event", String(event?.id), "invoice.paid"]]);
  expect((await find(String(job?.id), key)).map(([kind]: readonly string[]) => kind)).not.toContain("job");
  expect(await find("stripe", key)).toEqual([]);
});
