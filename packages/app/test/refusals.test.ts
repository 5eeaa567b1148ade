import { createApp } from "@postern/app";
import { AppError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import type { ProviderDefinition } from "@postern/inbox";
import { openProvider } from "@postern/inbox/internal";
import type { Principal } from "@postern/rest";
import { sign } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { expect, test, vi } from "vitest";

const encoder = new TextEncoder();
const key = "whsec_the secret of this endpoint";
const otherKey = "whsec_the secret of another endpoint";
const body = '{"id":"evt_1","type":"invoice.paid","data":{"object":{}}}';
const operator = { kind: "operator", name: "ada" } as const;

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations, which the tests compare.
type Shown = any;

const scene = async (...more: readonly Partial<ProviderDefinition>[]) => {
  const ports = memoryPorts();
  const made = [{ name: "stripe", scheme: stripe, keys: [{ key, id: "k1" }] }, ...more].map((definition) =>
    openProvider(ports, { scheme: stripe, keys: [otherKey], name: "other", ...definition }),
  );
  const app = createApp({ ports, providers: made, handlers: [] });
  let number = 0;
  const deliver = async (
    changes: { provider?: string; keys?: string; sent?: string; at?: number; bare?: boolean } = {},
  ) => {
    const { provider = "stripe", keys = key, sent = body, at = ports.clock.now(), bare = false } = changes;
    number += 1;
    return app
      .receive({
        provider,
        method: "POST",
        url: `http://test/api/webhooks/${provider}`,
        headers: bare ? {} : await sign(stripe, { keys, body, timestamp: at }),
        body: encoder.encode(sent),
        requestId: `r${number}`,
        address: "192.0.2.1",
      })
      .then(({ status }) => status)
      .catch((thrown: unknown) => (thrown instanceof AppError ? thrown.status : Promise.reject(thrown)));
  };
  const run = async (operation: string, params = {}, query = {}, principal: Principal = operator): Promise<Shown> =>
    (await app.run({ operation: `admin.${operation}`, principal, params, query })).body;
  const list = async (query = {}) => (await run("refusals.list", {}, query)).data;
  return { ports, app, deliver, run, list };
};

test("a refused delivery is kept with how it was verified and what to do", async () => {
  const { deliver, run, list } = await scene();
  expect(await deliver({ sent: `${body}\n` })).toBe(401);
  const [listed] = await list();
  expect(listed).toMatchObject({
    provider: "stripe",
    reason: "signature_mismatch",
    hint: expect.stringContaining("the signature fits the body without the line break at its end"),
    request_id: "r1",
    address: "192.0.2.1",
    bytes: body.length + 1,
    unkept: 0,
    body_kept: false,
  });
  const whole = await run("refusals.read", { id: listed.id });
  expect(whole).toMatchObject({
    ...listed,
    body_base64: "",
    masked: false,
    trace: {
      scheme: "stripe",
      valid: false,
      headers: [{ name: "stripe-signature", length: expect.any(Number), value: null }],
      content: "{timestamp}.{body}",
      keys: { tried: 1, named: null, matched: null, id: null },
      time: { skew_seconds: 0, tolerance_seconds: 300 },
      repeat: null,
    },
  });
  expect(JSON.stringify(whole)).not.toContain(key);
  await expect(run("refusals.read", { id: "019a5e3c-2f81-7a64-8b1d-3c5e7f9a1b2c" })).rejects.toThrow("no such refusal");
  await expect(run("refusals.read", { id: "1" })).rejects.toThrow("no such refusal");
});

test("a key without the scope for payloads sees no address, no value of a header and no body", async () => {
  const { deliver, run } = await scene({ name: "shop", keepRefusedBodies: true });
  await deliver({ provider: "shop" });
  const credential = { kind: "api-key", id: "k", scopes: ["refusals:read"] } as const;
  const reader = { kind: "user", userId: "u", role: "admin", credential } as const;
  const [{ id, address, body_kept }] = (await run("refusals.list", {}, {}, reader)).data;
  expect([address, body_kept]).toEqual([null, true]);
  const whole = await run("refusals.read", { id }, {}, reader);
  expect(whole).toMatchObject({ address: null, body_base64: "", masked: true, reason: "signature_mismatch" });
  expect(whole.trace.headers.map(({ value }: { value: unknown }) => value)).toEqual([null]);
  expect((await run("refusals.read", { id })).address).toBe("192.0.2.1");
});

test("the provider whose key fits is named", async () => {
  const { deliver, list } = await scene({ name: "shop", keys: [otherKey] }, { name: "hub", scheme: github });
  await deliver({ keys: otherKey });
  expect((await list())[0].hint).toContain("It is signed with the key of the provider shop");
});

test("refusals are listed by sender, reason and time", async () => {
  const { ports, deliver, list } = await scene({ name: "shop", keys: [otherKey] });
  await deliver({ bare: true });
  await deliver({ provider: "shop" });
  await ports.clock.advance(420_000);
  const between = new Date(ports.clock.now()).toISOString();
  await deliver({ at: ports.clock.now() - 420_000 });
  const reasons = async (query: object) => (await list(query)).map(({ reason }: { reason: string }) => reason);
  expect(await reasons({})).toEqual(["timestamp_too_old", "signature_mismatch", "header_missing"]);
  expect(await reasons({ "filter[provider]": "shop" })).toEqual(["signature_mismatch"]);
  expect(await reasons({ "filter[reason]": "header_missing" })).toEqual(["header_missing"]);
  expect(await reasons({ "filter[refused_at][gte]": between })).toEqual(["timestamp_too_old"]);
  expect(await reasons({ "filter[refused_at][lt]": between })).toEqual(["signature_mismatch", "header_missing"]);
  expect((await list({ limit: "1" }))[0].hint).toContain("this machine's clock is 7 min fast");
});

test("of a flood a few are kept, one write a second, and no answer waits for it", async () => {
  const { ports, deliver, list } = await scene();
  const add = vi.spyOn(ports.storage.refusals, "add").mockRejectedValueOnce(new AppError("unavailable"));
  for (let n = 0; n < 200; n += 1) expect(await deliver({ keys: otherKey })).toBe(401);
  expect(add).not.toHaveBeenCalled();
  await ports.clock.advance(1_000);
  await vi.waitFor(() => expect(add).toHaveBeenCalledTimes(1));
  expect(add.mock.calls[0]?.[0]).toHaveLength(10);
  for (let second = 0; second < 20; second += 1) {
    for (let n = 0; n < 50; n += 1) await deliver({ keys: otherKey });
    await ports.clock.advance(1_000);
  }
  const kept = await list({ limit: "100" });
  // What the store did not take is lost.
  expect(kept.length).toBeGreaterThanOrEqual(19);
  expect(kept.length).toBeLessThanOrEqual(22);
  expect(kept[0].unkept).toBe(49);
  expect(add.mock.calls.every(([batch]) => batch.length <= 10)).toBe(true);
});

test("many senders and reasons at once are bounded, too", async () => {
  const names = Array.from({ length: 9 }, (_, n) => ({ name: `shop-${n}` }));
  const { ports, deliver, list } = await scene(...names);
  for (let n = 0; n < 10; n += 1) for (const { name } of names) await deliver({ provider: name, bare: n % 2 === 0 });
  await ports.clock.advance(1_000);
  expect(await list({ limit: "100" })).toHaveLength(20);
});

test("the last thousand are kept, and none for longer than a day", async () => {
  const { ports, deliver, app, list } = await scene();
  for (let n = 0; n < 1_010; n += 1) {
    await deliver({ bare: true });
    await ports.clock.advance(1_000);
  }
  expect(await ports.storage.refusals.count({}, 2_000)).toBe(1_000);
  expect((await list({ limit: "1", sort: "id" }))[0].request_id).toBe("r11");
  const worker = app.worker({ name: "test", concurrency: 10 });
  await worker.start();
  for (let hour = 0; hour < 26; hour += 1) {
    await ports.clock.advance(3_600_000);
    await worker.fireSchedules();
    await worker.runDue();
    await ports.clock.advance(1_000);
  }
  expect(await ports.storage.refusals.count({}, 2_000)).toBe(0);
});

test("a body is kept only where that is asked for, up to 64 KiB", async () => {
  const { deliver, list, run } = await scene({ name: "shop", keepRefusedBodies: true });
  const long = `${" ".repeat(70_000)}{}`;
  for (const provider of ["stripe", "shop"]) await deliver({ provider, sent: long });
  const [kept, bare] = await list();
  expect([kept.body_kept, bare.body_kept]).toEqual([true, false]);
  const { body_base64 } = await run("refusals.read", { id: kept.id });
  expect(atob(body_base64)).toBe(" ".repeat(65_536));
  expect((await run("audit.list")).data[0]).toMatchObject({ action: "events:reveal", resource: "refusal" });
});

test("a body that is too long to wait is told by its length", async () => {
  const { deliver, list, run } = await scene({ name: "hub", scheme: github });
  await deliver({ provider: "hub", sent: " ".repeat(5 * 1024 * 1024) });
  const [{ id }] = await list();
  const { bytes, trace } = await run("refusals.read", { id });
  expect(bytes).toBe(5 * 1024 * 1024);
  expect(trace).toMatchObject({ code: "header_missing", headers: [], body: null, keys: null });
});

test("a stored event tells how it was verified, from what is kept of it", async () => {
  const { deliver, run, ports } = await scene();
  await deliver({ at: ports.clock.now() - 4_000 });
  const [{ id }] = (await run("events.list")).data;
  expect(await run("events.trace", { id })).toMatchObject({
    scheme: "stripe",
    valid: true,
    code: null,
    signatures: null,
    covered: ["timestamp", "body", "id", "type"],
    content: "{timestamp}.{body}",
    signed: null,
    body: { bytes: body.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    keys: { tried: null, named: null, matched: null, id: "k1" },
    time: { skew_seconds: 4, tolerance_seconds: 300 },
    repeat: { by: "id", window_seconds: null, key: "evt_1" },
  });
  await expect(run("events.trace", { id: "999" })).rejects.toThrow("no such event");
});
