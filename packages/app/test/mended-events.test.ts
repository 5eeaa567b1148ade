import { createApp } from "@postern/app";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { createProviders, defineProvider, type InboxHandler, on } from "@postern/inbox";
import { planReplay } from "@postern/inbox/internal";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { expect, test } from "vitest";
import { z } from "zod";

const keys = "whsec_a secret that only the two know";
const whole = '{"object":"event","id":"evt_1","type":"invoice.paid","data":{"object":{"n":1}}}';
const bare = '{"object":"event","id":"evt_1","data":{"object":{"n":1}}}';

/** An application on these ports, as one that was deployed later with other handlers. */
const deployed = (ports: MemoryPorts, handlers: readonly InboxHandler[]) => {
  const verifier = createVerifier(stripe, { keys, now: ports.clock.now });
  const provider = defineProvider({ name: "stripe", verifier });
  const app = createApp({ ports, providers: [provider], handlers });
  const deliver = async (text: string): Promise<unknown> => {
    const body = Buffer.from(text);
    const headers = await sign(stripe, { keys, body, timestamp: ports.clock.now() });
    const url = "http://test/api/webhooks/stripe";
    return (await app.receive({ provider: "stripe", method: "POST", url, headers, body, requestId: "r" })).body;
  };
  const states = async () => (await ports.storage.events.list({ limit: 10 })).map(({ state }) => state);
  const parts = { ports, providers: createProviders(ports, new Map([["stripe", provider]])), handlers };
  return { app, deliver, states, parts, jobs: async () => (await ports.storage.jobRecords.list({ limit: 99 })).length };
};
const any = on("stripe", "*", async () => undefined);

test("an event that was ignored or quarantined runs when it is sent again and its cause is gone, once", async () => {
  const strict = on("stripe", "*", async () => undefined, { schema: z.object({ n: z.string() }) });
  for (const before of [[], [strict]]) {
    const ports = memoryPorts();
    const first = deployed(ports, before);
    await first.deliver(whole);
    expect(await first.deliver(whole)).toMatchObject({ status: "duplicate" });
    expect(await first.states()).toEqual([before.length === 0 ? "ignored" : "quarantined"]);
    const later = deployed(ports, [any]);
    await Promise.all(Array.from({ length: 20 }, () => later.deliver(whole)));
    expect([await later.states(), await later.jobs()]).toEqual([["received"], 1]);
  }
});

test("a resend runs nothing whose cause is still there, or that somebody has discarded", async () => {
  const ports = memoryPorts();
  const { deliver, states, jobs } = deployed(ports, [any]);
  await deliver(bare);
  await deliver(bare);
  expect([await states(), await jobs()]).toEqual([["quarantined"], 0]);
  const [event] = await ports.storage.events.list({ limit: 1 });
  await ports.storage.events.discard([event?.id ?? 0], { reason: "test", now: ports.clock.now() });
  await deliver(bare);
  expect([await states(), await jobs()]).toEqual([["discarded"], 0]);
});

test("an operator overrules what the sender promises, and nobody a schema or a missing provider", async () => {
  const ports = memoryPorts();
  const got: unknown[] = [];
  const late = on("stripe", "invoice.*", async ({ overruled, type }) => {
    got.push([overruled, type]);
  });
  const { app, deliver, parts } = deployed(ports, [late]);
  await deliver(bare);
  const [event] = await ports.storage.events.list({ limit: 1 });
  const id = event?.id ?? 0;
  const why = (handlers: readonly InboxHandler[], asType?: string, known = parts.providers) =>
    planReplay({ ...parts, providers: known, handlers }, id, { force: false, overruling: { reason: "seen", asType } });
  await expect(planReplay(parts, id, { force: false })).rejects.toThrow("the event has no type");
  const strict = on("stripe", "*", async () => undefined, { schema: z.object({ n: z.string() }) });
  await expect(why([strict])).rejects.toThrow("does not fit the schema of handler");
  await expect(why([any], undefined, createProviders(ports, new Map()))).rejects.toThrow("provider is not configured");
  await expect(why([late])).rejects.toThrow("no handler wants it");
  const plan = await why([late], "invoice.late");
  await ports.storage.events.replay([plan], { includeDone: false, now: ports.clock.now() });
  const worker = app.worker({ name: "test", concurrency: 1 });
  await worker.start();
  await worker.runDue();
  await worker.stop(0);
  expect(got).toEqual([["the event has no type; overruled: seen", "invoice.late"]]);
});

test("an overruled event goes to the end of its order key, behind those that came after it", async () => {
  const ports = memoryPorts();
  const got: unknown[] = [];
  const line = on("stripe", "*", async ({ metadata }) => void got.push(metadata.deliveryId), { orderKey: () => "one" });
  const { app, deliver, parts } = deployed(ports, [line]);
  await deliver(bare);
  for (const id of ["evt_2", "evt_3"]) await deliver(whole.replace("evt_1", id));
  const event = (await ports.storage.events.list({ limit: 5, state: "quarantined" }))[0];
  const plan = await planReplay(parts, event?.id ?? 0, { force: false, overruling: { reason: "seen" } });
  await ports.storage.events.replay([plan], { includeDone: false, now: ports.clock.now() });
  await deliver(whole.replace("evt_1", "evt_4"));
  const worker = app.worker({ name: "test", concurrency: 4 });
  await worker.start();
  for (let turn = 0; turn < 4; turn += 1) {
    await worker.runDue();
    await ports.clock.advance(0);
  }
  await worker.stop(0);
  expect(got).toEqual(["evt_2", "evt_3", "evt_1", "evt_4"]);
});

test("a plan with a reason overrules what senders promise, and one without skips such events", async () => {
  const ports = memoryPorts();
  const { app, deliver, states } = deployed(ports, [any]);
  await deliver(bare);
  await deliver(bare.replace("evt_1", "evt_2"));
  const principal = { kind: "operator", name: "test" } as const;
  const plan = async (more: object) => {
    const body = { action: "replay", filter: { state: "quarantined" }, ...more };
    return Object((await app.run({ operation: "admin.plans.create", principal, body })).body);
  };
  expect((await plan({})).dry_run).toMatchObject({
    done: 0,
    skipped: [{ reason: "the event has no type", events: 2 }],
  });
  const { id, dry_run } = await plan({ reason: "the sender told us" });
  expect(dry_run).toMatchObject({ done: 2, skipped: [] });
  await app.run({ operation: "admin.plans.run", principal, params: { id } });
  const worker = app.worker({ name: "test", concurrency: 10 });
  await worker.start();
  for (let turn = 0; turn < 6; turn += 1) {
    await worker.runDue();
    await ports.clock.advance(1_000);
  }
  await worker.stop(0);
  expect(await states()).toEqual(["processed", "processed"]);
  const [event] = await ports.storage.events.list({ limit: 1 });
  const { overruled } = (await ports.storage.events.find(event?.id ?? 0)) ?? {};
  expect(overruled).toBe("the event has no type; overruled: the sender told us");
});

test("a bulk replay overrules with a reason, keeps the order of what it overrules, and is audited", async () => {
  const ports = memoryPorts();
  const got: unknown[] = [];
  const line = on("stripe", "*", async ({ overruled, type, metadata }) => {
    got.push([metadata.deliveryId, type, overruled]);
  });
  const { app, deliver, states } = deployed(ports, [line]);
  await deliver(bare);
  await deliver(bare.replace("evt_1", "evt_2"));
  const principal = { kind: "operator", name: "test" } as const;
  const replay = async (more: object) => {
    const body = { state: "quarantined", ...more };
    return (await app.run({ operation: "admin.events.replayMany", principal, body })).body;
  };
  const skipped = [{ reason: "the event has no type", events: 2 }];
  expect(await replay({})).toMatchObject({ matched: 2, replayed: 0, skipped });
  for (const half of [{ overrule: true }, { reason: "seen" }, { as_type: "invoice.paid" }])
    await expect(replay(half)).rejects.toMatchObject({ code: "validation_failed" });
  const overruling = { overrule: true, reason: "the sender told us", as_type: "invoice.late" };
  expect(await replay({ ...overruling, dry_run: true })).toMatchObject({ replayed: 2, jobs: 0, skipped: [] });
  expect(await states()).toEqual(["quarantined", "quarantined"]);
  expect(await replay(overruling)).toMatchObject({ matched: 2, replayed: 2, jobs: 2, skipped: [] });
  const worker = app.worker({ name: "test", concurrency: 1 });
  await worker.start();
  for (let turn = 0; turn < 2; turn += 1) {
    await worker.runDue();
    await ports.clock.advance(0);
  }
  await worker.stop(0);
  const why = "the event has no type; overruled: the sender told us";
  expect(got).toEqual([
    ["evt_1", "invoice.late", why],
    ["evt_2", "invoice.late", why],
  ]);
  const audited = await app.run({ operation: "admin.audit.list", principal, query: { limit: "100" } });
  expect(JSON.stringify(audited.body)).toMatch(
    /admin\.events\.replayMany[^}]*overruled|overruled[^}]*admin\.events\.replayMany/,
  );
});
