import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi();
  const { token } = await api.admin();
  const { storage } = api.ports;
  const quarantined = { disposition: "quarantined", reason: "it has no type", jobs: [] } as const;
  await storage.events.accept([newEvent("evt_1", quarantined), newEvent("evt_2", quarantined), newEvent("evt_3")]);
  const ids = (await storage.events.list({ after: 0, limit: 3 })).map(({ id }) => String(id));
  const roleOf = async (role: string): Promise<string> => {
    const made = await api.user(role);
    await api.call("PATCH", `/users/${made.id}`, { token, body: { role } });
    return made.token;
  };
  const discard = (id: string | undefined, body: object = { reason: "sent in error" }, who = token) =>
    api.call("POST", `/admin/events/${id}/discard`, { token: who, body });
  return { ...api, token, ids, discard, roleOf };
};

test("a discarded event shows its state and the reason, in lists and by itself, and nobody discards it twice", async () => {
  const { call, token, ids, discard } = await scene();
  expect((await discard(ids[0])).status).toBe(204);
  const listed = (await call("GET", "/admin/events?filter[state]=discarded", { token, version: "v2" })).body.data;
  expect(listed).toMatchObject([{ id: ids[0], state: "discarded", reason: "sent in error" }]);
  expect((await call("GET", `/admin/events/${ids[0]}`, { token })).body).toMatchObject({ state: "discarded" });
  expect((await discard(ids[0])).body).toMatchObject({
    code: "state_conflict",
    detail: `Event ${ids[0]} cannot be discarded: it was discarded before.`,
  });
  expect((await discard(ids[2])).body.detail).toContain("it is waiting to be processed");
  expect((await discard("99999")).status).toBe(404);
});

test("a discard needs a reason, and is in the audit log", async () => {
  const { ids, discard, ports } = await scene();
  for (const body of [{}, { reason: "" }, { reason: "x".repeat(501) }]) {
    expect((await discard(ids[0], body)).status).toBe(400);
  }
  await discard(ids[0]);
  expect(await ports.storage.audit.list({ action: "admin.events.discard", limit: 5 })).toMatchObject([
    { resource: "event", resourceId: ids[0], fields: ["reason"], result: "done" },
  ]);
});

test("operators discard events, viewers do not", async () => {
  const { ids, discard, roleOf } = await scene();
  expect((await discard(ids[0], undefined, await roleOf("viewer"))).status).toBe(403);
  expect((await discard(ids[0], undefined, await roleOf("operator"))).status).toBe(204);
});

test("a replay takes a discard back, once the event fits and somebody wants it", async () => {
  const { call, token, ids, discard } = await scene();
  await discard(ids[0]);
  const replay = () => call("POST", `/admin/events/${ids[0]}/replay`, { token });
  expect((await replay()).body.detail).toContain("no handler wants it");
  const many = await call("POST", "/admin/events/replay", { token, body: { state: "discarded", dry_run: true } });
  expect(many.body).toMatchObject({ matched: 1, skipped: [{ reason: "no handler wants it", events: 1 }] });
});
