import { sealAuditLog, verifyAuditLog } from "@postern/app/internal";
import { equals } from "@postern/core";
import { expect, test } from "vitest";
import { session } from "../src/resources/session.ts";
import { testApi } from "./api.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test("the schedule of the audit log erases where a deleted account's requests came from, and the chain holds", async () => {
  const { app, call, user, admin, ports } = testApi({ settings: { rateLimits: "off" } });
  const worker = app.worker({ name: "only", concurrency: 4 });
  await worker.start();
  const pass = async (ms: number) => {
    await worker.fireSchedules();
    await ports.clock.advance(ms);
    await worker.fireSchedules();
    for (let turn = 0; turn < 60; turn += 1) {
      await worker.runDue();
      await ports.clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const boss = await admin();
  const ada = await user("ada");
  const bob = await user("bob");
  const wrong = { email: "ada@example.com", password: "not this one at all" };
  expect((await call("POST", "/sessions", { body: wrong })).status).toBe(401);
  expect((await call("POST", "/sessions", { body: { ...wrong, email: "nobody@example.com" } })).status).toBe(401);
  expect((await call("PATCH", "/users/me", { token: ada.token, body: { name: "Ada" } })).status).toBe(200);
  expect((await call("PATCH", "/users/me", { token: bob.token, body: { name: "Bob" } })).status).toBe(200);
  expect((await call("DELETE", `/users/${ada.id}`, { token: boss.token })).status).toBe(204);
  await sealAuditLog(ports, async () => true);
  const own = async () => (await ports.storage.audit.list({ actorId: ada.id, limit: 99 })).map((one) => one.address);
  const aboutAda = async () =>
    (await ports.storage.audit.list({ resource: "user", resourceId: ada.id, limit: 99 }))
      .filter(({ actor }) => actor.kind === "anonymous")
      .map((one) => [one.action, one.address.slice(0, 7), one.requestId]);
  expect(new Set(await own())).toEqual(new Set(["192.0.2.1"]));
  // A request that was under way may still write an entry of the account, so nothing is erased
  // before ten minutes.
  await pass(5 * minute);
  expect(new Set(await own())).toEqual(new Set(["192.0.2.1"]));
  await pass(6 * minute);
  expect((await own()).length).toBeGreaterThan(1);
  expect((await own()).filter((address) => !address.startsWith("erased:"))).toEqual([]);
  expect(await aboutAda()).toEqual([
    ["sessions.create", "erased:", "erased"],
    ["users.create", "erased:", "erased"],
  ]);
  // Others keep theirs, and so does the administrator who deleted the account.
  const kept = await ports.storage.audit.list({ actorId: bob.id, limit: 99 });
  expect(new Set(kept.map(({ address }) => address))).toEqual(new Set(["192.0.2.1"]));
  const [deletion] = await ports.storage.audit.list({ action: "users.delete", limit: 1 });
  expect([deletion?.address, deletion?.resourceId]).toEqual(["192.0.2.1", ada.id]);
  const strangers = async () =>
    (await ports.storage.audit.list({ action: "sessions.create", limit: 99 }))
      .filter(({ actor, resourceId }) => actor.kind === "anonymous" && resourceId === undefined)
      .map(({ address }) => address.slice(0, 7));
  expect(await strangers()).toEqual(["192.0.2"]);
  expect((await verifyAuditLog(ports)).findings).toEqual([]);
  await ports.clock.advance(30 * day);
  await pass(2 * minute);
  expect(await strangers()).toEqual(["erased:"]);
  // What these minutes wrote themselves is sealed in the next ones.
  await pass(2 * minute);
  const report = await verifyAuditLog(ports);
  expect([report.findings, report.waiting]).toEqual([[], 0]);
  const system = { where: { all: [] }, reason: "test" };
  expect(await ports.storage.resources.count(session, { scope: system, where: equals("user_id", ada.id) }, 9)).toBe(0);
  await worker.stop(0);
});
