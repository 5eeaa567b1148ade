import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const { token } = await api.admin();
  const quarantined = { disposition: "quarantined", reason: "it has no type", jobs: [] } as const;
  await api.ports.storage.events.accept([newEvent("evt_1", quarantined)]);
  const [stored] = await api.ports.storage.events.list({ after: 0, limit: 1 });
  return { ...api, token, id: stored?.id };
};

test.each(["a\0", "\ud800"])("a text that some database cannot store is refused everywhere: %j", async (text) => {
  const { call, token, id } = await scene();
  const provider = { name: "acme", scheme: "github", key: "0123456789abcdef0123456789abcdef", key_id: text };
  const bodies: readonly (readonly [path: string, body: object])[] = [
    [`/admin/events/${id}/notes`, { text }],
    [`/admin/events/${id}/discard`, { reason: text }],
    ["/admin/plans", { action: "discard", reason: text }],
    ["/admin/plans", { action: "replay", filter: { type: text } }],
    ["/admin/plans", { action: "replay", filter: { provider: text } }],
    ["/admin/events/replay", { state: "dead", type: text }],
    ["/admin/queues/default/pause", { note: text }],
    ["/admin/providers", provider],
  ];
  for (const [path, body] of bodies) {
    const answer = await call("POST", path, { token, body });
    expect([path, answer.status, answer.body.code]).toEqual([path, 400, "validation_failed"]);
  }
});

test("a filter that no database compares alike is refused", async () => {
  const { call, token } = await scene();
  const names = {
    events: ["provider"],
    jobs: ["handler", "queue"],
    audit: ["action", "resource", "resource_id"],
    refusals: ["provider", "reason"],
  };
  const texts = { events: ["event_id", "type"], audit: ["actor"] };
  const statusOf = async (list: string, field: string, text: string) =>
    (await call("GET", `/admin/${list}?filter[${field}]=${encodeURIComponent(text)}`, { token })).status;
  for (const [list, fields] of Object.entries(names)) {
    for (const field of fields) {
      const statuses = [
        await statusOf(list, field, "é"),
        await statusOf(list, field, "\0"),
        await statusOf(list, field, "a:*"),
      ];
      expect([list, field, ...statuses]).toEqual([list, field, 400, 400, 200]);
    }
  }
  for (const [list, fields] of Object.entries(texts)) {
    for (const field of fields) {
      expect([list, field, await statusOf(list, field, "\0"), await statusOf(list, field, "é")]).toEqual([
        list,
        field,
        400,
        200,
      ]);
    }
  }
  expect((await call("GET", "/admin/counts?provider=%C3%A9", { token })).status).toBe(400);
});
