import { type App, createApp } from "@postern/app";
import { AppError } from "@postern/core";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import type { ProviderStore, StoredProvider } from "@postern/core/ports";
import { defineProvider, on } from "@postern/inbox";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";

const secretOf = (n: number): string => `whsec_${btoa(String.fromCharCode(...new Uint8Array(32).fill(n)))}`;
const operator = { kind: "operator", name: "test" } as const;
const encoder = new TextEncoder();

interface Shown {
  readonly name: string;
  readonly keys: readonly { id: string; state: string; not_after: string | null }[];
}

/** An app, or another node of the same one. */
const node = (ports: MemoryPorts): App => {
  const verifier = createVerifier(schemes["standard-webhooks"], { keys: secretOf(99), now: () => ports.clock.now() });
  return createApp({
    ports,
    providers: [defineProvider({ name: "fixed", verifier, replayOnResend: true })],
    handlers: [on("*", "*", async () => undefined)],
  });
};

let message = 0;

const deliver = async (
  app: App,
  ports: MemoryPorts,
  secret: string,
  provider = "acme",
  body = '{"type":"a.b","data":{}}',
) => {
  message += 1;
  const bytes = encoder.encode(body);
  const headers = await sign(schemes["standard-webhooks"], {
    keys: secret,
    body: bytes,
    id: `msg_${message}`,
    timestamp: ports.clock.now(),
  });
  const url = `http://test/api/webhooks/${provider}`;
  return (await app.receive({ provider, method: "POST", url, headers, body: bytes, requestId: "r" })).status;
};

const run = async (app: App, operation: string, params: Record<string, string>, body?: unknown): Promise<Shown> => {
  const answer = await app.run({ operation: `admin.providers.${operation}`, principal: operator, params, body });
  // What the operation's own schema says.
  return answer.body as Shown;
};

const acme = { name: "acme", scheme: "standard-webhooks", key: secretOf(1) };

describe("a provider added at run time", () => {
  test("takes deliveries on every node at once, and none after it was removed", async () => {
    const ports = memoryPorts();
    const [one, two] = [node(ports), node(ports)];
    expect(await deliver(two, ports, secretOf(1))).toBe(404);
    const made = await run(one, "create", {}, acme);
    expect(made).toMatchObject({
      name: "acme",
      source: "stored",
      path: "/api/webhooks/acme",
      keys: [{ state: "good" }],
    });
    expect(JSON.stringify(made)).not.toContain(secretOf(1));
    expect(await deliver(one, ports, secretOf(1))).toBe(200);
    expect(await deliver(two, ports, secretOf(1))).toBe(200);
    expect(await deliver(two, ports, secretOf(2))).toBe(401);
    const received = new Date(ports.clock.now()).toISOString();
    expect(await run(two, "read", { name: "acme" })).toMatchObject({ last_event_at: received });
    expect(await run(two, "read", { name: "fixed" })).toMatchObject({ last_event_at: null });
    await run(one, "delete", { name: "acme" });
    expect(await deliver(one, ports, secretOf(1))).toBe(404);
    await ports.clock.advance(2_000);
    expect(await deliver(two, ports, secretOf(1))).toBe(404);
  });

  test("may have any of the schemes that are listed by name", async () => {
    const { body } = await node(memoryPorts()).run({ operation: "admin.schemes.list", principal: operator });
    const listed: readonly { name: string; title: string }[] = Object(body).data;
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(schemes).toSorted());
    expect(listed).toContainEqual({ name: "standard-webhooks", title: "Standard Webhooks" });
  });

  test("keeps its secrets encrypted", async () => {
    const ports = memoryPorts();
    const sealed: string[] = [];
    const secretBox = {
      ...ports.secretBox,
      seal: async (secret: string, context: string) => {
        const text = await ports.secretBox.seal(secret, context);
        sealed.push(text);
        return text;
      },
    };
    const stored: StoredProvider[] = [];
    const providers: ProviderStore = {
      ...ports.storage.providers,
      save: async (provider, now) => {
        stored.push(provider);
        await ports.storage.providers.save(provider, now);
      },
    };
    const storage = {
      ...ports.storage,
      providers,
      transaction: async (work: never) => (work as (s: object) => unknown)({ ...ports.storage, providers }),
    };
    const app = node({ ...ports, secretBox, storage: storage as MemoryPorts["storage"] });
    const meta = { name: "meta", key: "an app secret that is long enough", settings: { verifyToken: "open sesame" } };
    const shown = await run(app, "create", {}, meta);
    expect(shown).toMatchObject({ settings: ["verifyToken"] });
    expect(sealed).toHaveLength(2);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify([stored, shown])).not.toMatch(/app secret|open sesame/);
  });

  test("is refused with a secret under 16 bytes, and works on with one where that is allowed", async () => {
    const ports = memoryPorts();
    const app = node(ports);
    const short = { name: "hub", scheme: "github", key: "short" };
    await expect(run(app, "create", {}, short)).rejects.toMatchObject({ status: 400 });
    await run(app, "create", {}, { ...short, name: "other", key: "a secret of 19 bytes" });
    expect(await run(app, "read", { name: "other" })).toMatchObject({ allow_short: false });
    await expect(run(app, "rotate", { name: "other" }, { key: "short" })).rejects.toMatchObject({ status: 400 });
    expect(await run(app, "create", {}, { ...short, key: "brief", allow_short: true })).toMatchObject({
      allow_short: true,
    });
    await run(app, "rotate", { name: "hub" }, { key: "short", overlap_seconds: 0 });
    const body = encoder.encode("{}");
    const signed = await sign(schemes.github, { keys: "short", body, id: "d1", type: "push" });
    const url = "http://test/api/webhooks/hub";
    const request = { provider: "hub", method: "POST", url, headers: signed, body, requestId: "r" };
    expect((await app.receive(request)).status).toBe(200);
    const long = { ...request, body: new Uint8Array(26 * 1024 * 1024) };
    expect((await app.receive(long)).status).toBe(413);
  });

  test("can decide what makes a delivery a repeat, on every node", async () => {
    const ports = memoryPorts();
    const [one, two] = [node(ports), node(ports)];
    const key = "a secret that only the two know";
    const made = { name: "hub", scheme: "github", key, dedupe: { by: "body", window_seconds: 600 } };
    expect(await run(one, "create", {}, made)).toMatchObject({ dedupe: made.dedupe, replay_on_resend: false });
    const inHeader = { by: "id", id: "header:x-event-id" };
    const other = { ...made, name: "other", dedupe: inHeader, replay_on_resend: true };
    await run(one, "create", {}, other);
    expect(await run(two, "read", { name: "other" })).toMatchObject({ dedupe: inHeader, replay_on_resend: true });
    expect(await run(one, "create", {}, { ...acme, name: "plain" })).toMatchObject({ dedupe: null });
    const told = async (provider: string, id: string, event?: string) => {
      const body = encoder.encode("{}");
      const signed = await sign(schemes.github, { keys: key, body, id, type: "push" });
      const headers = { ...signed, ...(event === undefined ? {} : { "x-event-id": event }) };
      const url = `http://test/api/webhooks/${provider}`;
      const answer = await two.receive({ provider, method: "POST", url, headers, body, requestId: "r" });
      return (answer.body as { status: string }).status;
    };
    // The scheme would take the id of the delivery, which is in another header.
    expect([await told("hub", "d1"), await told("hub", "d2")]).toEqual(["accepted", "duplicate"]);
    expect([await told("other", "d1", "e1"), await told("other", "d1", "e2"), await told("other", "d2", "e1")]).toEqual(
      ["accepted", "accepted", "duplicate"],
    );
  });

  test("is refused with a wish about repeats that cannot work", async () => {
    const app = node(memoryPorts());
    const key = "a secret that only the two know";
    const refused = async (scheme: string, dedupe: unknown): Promise<readonly unknown[]> =>
      run(app, "create", {}, { name: "x", scheme, key, dedupe }).then(
        () => [201],
        ({ status, faults: [fault] }) => [status, fault.pointer],
      );
    expect(await refused("dropbox", { by: "id" })).toEqual([400, "/dedupe"]);
    expect(await refused("github", { by: "id", id: "event" })).toEqual([400, "/dedupe/id"]);
    expect(await refused("github", { by: "body", window_seconds: 0 })).toEqual([400, "/dedupe/window_seconds"]);
    expect((await refused("github", { by: "sometimes" }))[0]).toBe(400);
  });

  test("is listed beside those of the configuration, which requests cannot change", async () => {
    const app = node(memoryPorts());
    await run(app, "create", {}, acme);
    const { data } = (await app.run({ operation: "admin.providers.list", principal: operator })).body as {
      data: Shown[];
    };
    expect(data.map(({ name }) => name)).toEqual(["acme", "fixed"]);
    expect(await run(app, "read", { name: "fixed" })).toMatchObject({ keys: [], replay_on_resend: true });
    const conflict = { code: "state_conflict" };
    await expect(run(app, "create", {}, { ...acme, name: "fixed" })).rejects.toMatchObject(conflict);
    await expect(run(app, "rotate", { name: "fixed" }, { key: secretOf(2) })).rejects.toMatchObject(conflict);
    await expect(run(app, "delete", { name: "fixed" })).rejects.toMatchObject(conflict);
    await expect(run(app, "create", {}, acme)).rejects.toMatchObject({ code: "conflict" });
    await expect(run(app, "read", { name: "nobody" })).rejects.toMatchObject({ code: "not_found" });
  });

  test.each([
    [{ key: "too short" }, "/key", /key/],
    [{ scheme: "none-such" }, "/scheme", /none-such/],
    [{ key: undefined }, "/key", /either/],
    [{ key: undefined, scheme: "oidc", jwks_url: "http://keys.example.com/set" }, "/jwks_url", /https/],
    [
      { key: undefined, scheme: "stripe", jwks_url: "https://keys.example.com/set" },
      "/jwks_url",
      /give the secret itself/,
    ],
    [{ settings: { stray: "x" } }, "/settings", /no setting stray/],
    [{ schemas: { "a.b": { type: "nothing" } } }, "/key", /a.b.*JSON Schema/],
    [{ name: "Not OK" }, "/name", /lower-case/],
  ])("is refused with %o, in words that repeat no key", async (changes, pointer, words) => {
    const app = node(memoryPorts());
    const refused = await run(app, "create", {}, { ...acme, ...changes }).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(AppError);
    expect(refused).toMatchObject({ status: 400, faults: [{ pointer }], detail: expect.stringMatching(words) });
    expect(String((refused as AppError).detail)).not.toContain("too short");
  });

  test("checks payloads by the JSON Schemas it came with", async () => {
    const ports = memoryPorts();
    const app = node(ports);
    const schemas = { "a.*": { type: "object", required: ["account"] } };
    await run(app, "create", {}, { ...acme, schemas });
    await deliver(app, ports, secretOf(1));
    const [event] = await ports.storage.events.list({ limit: 1 });
    expect([event?.state, event?.reason]).toEqual(["quarantined", expect.stringContaining("/account")]);
  });

  test("takes deliveries while the database is away, as long as it was known before", async () => {
    const ports = memoryPorts();
    let away = false;
    const providers: ProviderStore = {
      ...ports.storage.providers,
      list: () => (away ? Promise.reject(new AppError("unavailable")) : ports.storage.providers.list()),
    };
    const scene = { ...ports, storage: { ...ports.storage, providers } };
    const [old, fresh] = [node(scene), node(scene)];
    await run(old, "create", {}, acme);
    away = true;
    await ports.clock.advance(10_000);
    expect(await deliver(old, ports, secretOf(1))).toBe(200);
    // It is unknown whether there is such a provider. So the sender is told to try again, not that
    // it is wrong.
    expect(await deliver(fresh, ports, secretOf(1))).toBe(503);
    expect(await deliver(fresh, ports, secretOf(99), "fixed")).toBe(200);
  });

  test("that was sealed under another secret key says so, and harms no other", async () => {
    const ports = memoryPorts();
    await run(node(ports), "create", {}, acme);
    const secretBox = { ...ports.secretBox, open: () => Promise.reject(new Error("sealed under another key")) };
    const app = node({ ...ports, secretBox });
    expect(await deliver(app, ports, secretOf(1))).toBe(503);
    expect(await deliver(app, ports, secretOf(99), "fixed")).toBe(200);
  });
});

describe("a key that is replaced", () => {
  test("stays good for the overlap and no longer; the new one is good at once on every node", async () => {
    const ports = memoryPorts();
    const [one, two] = [node(ports), node(ports)];
    await run(one, "create", {}, acme);
    expect(await deliver(two, ports, secretOf(1))).toBe(200);
    const rotated = await run(one, "rotate", { name: "acme" }, { key: secretOf(2), overlap_seconds: 60 });
    expect(rotated.keys.map(({ state }) => state)).toEqual(["good", "good"]);
    for (const app of [one, two]) {
      expect(await deliver(app, ports, secretOf(2))).toBe(200);
      expect(await deliver(app, ports, secretOf(1))).toBe(200);
    }
    await ports.clock.advance(60_000);
    for (const app of [one, two]) {
      expect(await deliver(app, ports, secretOf(2))).toBe(200);
      expect(await deliver(app, ports, secretOf(1))).toBe(401);
    }
    expect((await run(one, "read", { name: "acme" })).keys.map(({ state }) => state)).toEqual(["ended", "good"]);
    // The next replacement clears away what has ended.
    const again = await run(one, "rotate", { name: "acme" }, { key: secretOf(3) });
    expect(again.keys).toHaveLength(2);
  });

  test("can be ended at once, but for the last one", async () => {
    const ports = memoryPorts();
    const app = node(ports);
    const { keys } = await run(app, "create", {}, acme);
    const id = keys[0]?.id ?? "";
    await expect(run(app, "deleteKey", { name: "acme", id })).rejects.toMatchObject({ code: "state_conflict" });
    await run(app, "rotate", { name: "acme" }, { key: secretOf(2) });
    await run(app, "deleteKey", { name: "acme", id });
    expect(await deliver(app, ports, secretOf(1))).toBe(401);
    expect(await deliver(app, ports, secretOf(2))).toBe(200);
    await expect(run(app, "deleteKey", { name: "acme", id })).rejects.toMatchObject({ code: "not_found" });
  });

  test("waits for its time where it is given one", async () => {
    const ports = memoryPorts();
    const app = node(ports);
    await run(app, "create", {}, acme);
    const not_before = new Date(ports.clock.now() + 10_000).toISOString();
    const { keys } = await run(app, "rotate", { name: "acme" }, { key: secretOf(2), not_before, overlap_seconds: 0 });
    expect(keys.map(({ state }) => state)).toEqual(["good", "waiting"]);
    expect(await deliver(app, ports, secretOf(2))).toBe(401);
    expect(await deliver(app, ports, secretOf(1))).toBe(200);
    await ports.clock.advance(10_000);
    expect(await deliver(app, ports, secretOf(2))).toBe(200);
    expect(await deliver(app, ports, secretOf(1))).toBe(401);
  });

  test("is refused when five are about already", async () => {
    const app = node(memoryPorts());
    await run(app, "create", {}, acme);
    for (let n = 2; n <= 5; n += 1) await run(app, "rotate", { name: "acme" }, { key: secretOf(n) });
    await expect(run(app, "rotate", { name: "acme" }, { key: secretOf(6) })).rejects.toMatchObject({
      code: "state_conflict",
    });
  });
});

test("forged deliveries ask the database for newer keys five times a second at the most", async () => {
  const ports = memoryPorts();
  let reads = 0;
  const providers: ProviderStore = {
    ...ports.storage.providers,
    list: () => {
      reads += 1;
      return ports.storage.providers.list();
    },
  };
  const app = node({ ...ports, storage: { ...ports.storage, providers } });
  await run(app, "create", {}, acme);
  reads = 0;
  for (let n = 0; n < 100; n += 1) {
    expect(await deliver(app, ports, secretOf(7))).toBe(401);
    expect(await deliver(app, ports, secretOf(7), "nobody")).toBe(404);
    await ports.clock.advance(10);
  }
  // One second in all: five looks at once and five more.
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(10);
});

describe("a key that comes with a handshake", () => {
  const shake = (app: App, secret: string) =>
    app.receive({
      provider: "asana",
      method: "POST",
      url: "http://test/api/webhooks/asana",
      headers: { "x-hook-secret": secret },
      body: new Uint8Array(),
      requestId: "r",
    });
  const deliverSigned = async (app: App, keys: string) => {
    message += 1;
    const body = encoder.encode(`{"events":[{"action":"changed","n":${message}}]}`);
    const headers = await sign(schemes.asana, { keys, body });
    const url = "http://test/api/webhooks/asana";
    return (await app.receive({ provider: "asana", method: "POST", url, headers, body, requestId: "r" })).status;
  };

  test("is kept once, encrypted, and good on every node: of two at the same time the second is refused", async () => {
    const ports = memoryPorts();
    const [one, two] = [node(ports), node(ports)];
    await run(one, "create", {}, { name: "asana", settings: { acceptSecret: "yes" } });
    expect(await deliverSigned(one, "the sender's own")).toBe(401);
    const answers = await Promise.all([shake(one, "the sender's own"), shake(two, "another's")]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [right, wrong] =
      answers[0]?.status === 200 ? ["the sender's own", "another's"] : ["another's", "the sender's own"];
    for (const app of [one, two]) {
      expect([await deliverSigned(app, right), await deliverSigned(app, wrong)]).toEqual([200, 401]);
    }
    const key = (await ports.storage.providers.find("asana"))?.keys[0];
    expect(key).toBeDefined();
    expect(JSON.stringify(key)).not.toContain(right);
    await ports.clock.advance(2_000);
    expect((await shake(two, "a later one")).status).toBe(401);
  });

  test("is the only one that a provider can do without at first", async () => {
    const app = node(memoryPorts());
    await expect(run(app, "create", {}, { name: "acme", scheme: "standard-webhooks" })).rejects.toMatchObject({
      code: "validation_failed",
    });
  });
});
