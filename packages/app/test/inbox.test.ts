import { AppError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { on } from "@postern/inbox";
import { sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { encoder, noop, paid, scene, secret } from "./inbox-scene.ts";

describe("receiving a webhook", () => {
  test("stores the event and its job, then hands it to the handler as it came", async () => {
    const seen: { type: string | undefined; text: string; attempt: number }[] = [];
    const handler = on("acme", "invoice.*", async (event, context) => {
      seen.push({ type: event.type, text: new TextDecoder().decode(event.body), attempt: context.attempt });
    });
    const { deliver, work, states } = await scene([handler]);
    expect(await deliver(paid)).toEqual({ status: 200, body: { id: expect.any(String), status: "accepted" } });
    expect(await states()).toEqual(["received"]);
    await work();
    expect(await states()).toEqual(["processed"]);
    expect(seen).toEqual([{ type: "invoice.paid", text: paid, attempt: 1 }]);
  });

  test("drops repeats and says so", async () => {
    let runs = 0;
    const { deliver, work, ports } = await scene([
      on("acme", "*", async () => {
        runs += 1;
      }),
    ]);
    const first = await deliver(paid);
    await work();
    for (let repeat = 0; repeat < 5; repeat += 1) {
      expect(await deliver(paid)).toEqual({ status: 200, body: { ...(first.body as object), status: "duplicate" } });
    }
    await work();
    expect(runs).toBe(1);
    expect((await ports.storage.events.list({ limit: 5 }))[0]?.repeats).toBe(5);
  });

  test("refuses one changed byte, and stores nothing", async () => {
    const { deliver, states, ports } = await scene([noop]);
    const { status, body } = await deliver(paid, { tamper: true });
    expect([status, body]).toEqual([401, expect.objectContaining({ code: "invalid_signature" })]);
    expect(JSON.stringify(body)).not.toContain("mismatch");
    expect(await states()).toEqual([]);
    expect(ports.telemetry.counted("webhooks_refused", { provider: "acme", reason: "signature_mismatch" })).toBe(1);
  });

  test("says that a webhook has no signature, which is no secret, in the answer and in the log", async () => {
    const { app, ports } = await scene([noop]);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const webhook = {
      provider: "acme",
      method: "POST",
      url: "http://test/api/webhooks/acme",
      headers: { traceparent },
      body: encoder.encode(paid),
      requestId: "r",
    };
    const { status, body } = await app.receive(webhook);
    expect([status, body]).toEqual([
      401,
      expect.objectContaining({
        code: "invalid_signature",
        reason: "header_missing",
        detail: expect.stringContaining("webhook-id is missing"),
      }),
    ]);
    expect(ports.telemetry.entries.filter(({ message }) => message === "webhook refused")).toMatchObject([
      { fields: { reason: "header_missing", trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" } },
    ]);
  });

  test("counts what it could not store, by its sender", async () => {
    const { storage } = memoryPorts();
    const accept = async () => Promise.reject(new AppError("unavailable"));
    const { deliver, ports } = await scene([noop], { storage: { ...storage, events: { ...storage.events, accept } } });
    expect((await deliver(paid)).status).toBe(503);
    expect(ports.telemetry.counted("webhooks_received", { provider: "acme", result: "busy" })).toBe(1);
  });

  test("knows nothing of a provider that is not configured", async () => {
    const { deliver } = await scene([noop]);
    expect(await deliver(paid, { provider: "nobody" })).toMatchObject({
      status: 404,
      body: { code: "unknown_provider" },
    });
  });

  test("takes nothing by GET but a handshake", async () => {
    const { app } = await scene([noop]);
    const answer = await app.receive({
      provider: "acme",
      method: "GET",
      url: "http://test/api/webhooks/acme",
      headers: {},
      body: new Uint8Array(),
      requestId: "r",
    });
    expect([answer.status, answer.headers?.allow]).toEqual([405, "POST"]);
  });

  test("keeps an event that no handler wants", async () => {
    const { deliver, work, states } = await scene([on("acme", "customer.*", async () => undefined)]);
    expect((await deliver(paid)).body).toMatchObject({ status: "ignored" });
    expect(await work()).toBe(0);
    expect(await states()).toEqual(["ignored"]);
  });

  test.each([
    ["no type", '{"data":{}}', "the event has no type"],
    ["a type that is an object", '{"type":{"name":"x"}}', "the event's type is an object, not text"],
    ["a type that is a number", '{"type":7}', "the event's type is a number, not text"],
    ["no data", '{"type":"a"}', 'the event has no object in "data"'],
    ["data that is a text", '{"type":"a","data":"{}"}', 'the event has no object in "data"'],
    ["data that is a list", '{"type":"a","data":[{}]}', 'the event has no object in "data"'],
    ["data that is null", '{"data":null,"type":"a"}', 'the event has no object in "data"'],
    ["data elsewhere", '{"type":"a","x":{"data":{}}}', 'the event has no object in "data"'],
    ["no JSON", "type=invoice.paid", "the body is not JSON"],
    ["a type that no column holds", `{"type":"${"x".repeat(129)}"}`, "the event's type is too long"],
    ["a type with a NUL", '{"type":"a\\u0000b"}', "the event's id or type holds NUL characters or lone surrogates"],
    ["bytes that are not UTF-8", Uint8Array.of(0xff, 0xfe), "the body is not JSON"],
    ["levels upon levels", `{"type":"a","d":${"[".repeat(100)}${"]".repeat(100)}}`, "the body is nested too deeply"],
  ])("quarantines an authentic event with %s, answers 200 and alerts", async (_what, body, reason) => {
    const promised = { promises: { id: "promised", type: "promised" }, needsData: true } as const;
    const { deliver, work, states, ports } = await scene([noop], {}, {}, promised);
    expect(await deliver(body)).toMatchObject({ status: 200, body: { status: "quarantined" } });
    expect(await work()).toBe(0);
    expect(await states()).toEqual(["quarantined"]);
    expect((await ports.storage.events.list({ limit: 1 }))[0]?.reason).toBe(reason);
    expect(ports.alerts.raised).toEqual([
      expect.objectContaining({ kind: "event.quarantined", text: expect.stringContaining(reason) }),
    ]);
  });

  test.each([
    ["no type", '{"data":{}}'],
    ["a type that is an object", '{"type":{"name":"x"}}'],
    ["a type that is a number", '{"type":7}'],
    ["no data", '{"order":7}'],
  ])("takes an event with %s, if its sender promises none", async (_what, body) => {
    const seen: unknown[] = [];
    const typed = on("acme", "invoice.*", async () => seen.push("typed"));
    const all = on("acme", "*", async ({ type, payload }) => seen.push([type, payload]));
    const { deliver, work, states } = await scene([typed, all]);
    expect(await deliver(body)).toMatchObject({ status: 200, body: { status: "accepted" } });
    await work();
    expect(seen).toEqual([[undefined, JSON.parse(body)]]);
    expect(await states()).toEqual(["processed"]);
  });

  test("keeps an authentic event in texts that every database stores, whatever is in it", async () => {
    const handler = on("acme", "*", async () => undefined, { orderKey: ({ data }) => (data as { key: string }).key });
    const { deliver, ports } = await scene([handler]);
    const long = "i".repeat(255);
    const status = async (body: string, id: string) =>
      ((await deliver(body, { id })).body as { status: string }).status;
    expect(await status('{"type":"a\\u0000\\ud800","data":{}}', "1")).toBe("quarantined");
    expect(await status(paid, `${long}1`)).toBe("quarantined");
    expect(await status(paid, `${long}2`)).toBe("quarantined");
    expect(await status(paid, `${long}1`)).toBe("duplicate");
    expect(await status('{"type":"a","data":{"key":"k\\u0000\\ud800"}}', "2")).toBe("accepted");
    const { events, jobRecords } = ports.storage;
    const stored = await events.load((await events.list({ limit: 10 })).map(({ id }) => id));
    for (const { dedupeKey, eventId, type, reason } of stored) {
      expect([dedupeKey, eventId, type, reason ?? ""].join("")).not.toMatch(/[\0\p{Cs}]/u);
      expect(encoder.encode(dedupeKey).length).toBeLessThanOrEqual(191);
    }
    expect(stored.map(({ eventId }) => eventId)).toContain(`${long}1`);
    expect(stored.map(({ type }) => type)).toContain("a\ufffd\ufffd");
    expect((await jobRecords.list({ limit: 1 }))[0]?.orderKey).toBe("k\ufffd\ufffd");
  });

  test("shows an event that is nested too deeply by its bytes alone", async () => {
    const { app, deliver } = await scene([noop]);
    const body = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const answer = await deliver(body);
    expect(answer.body).toMatchObject({ status: "quarantined" });
    const { id } = answer.body as { id: string };
    const principal = { kind: "operator", name: "test" } as const;
    const { body: shown } = await app.run({ operation: "admin.events.read", principal, params: { id } });
    expect(shown).toMatchObject({ data: null, body_base64: Buffer.from(body).toString("base64") });
  });

  test("hands on what has a hundred levels", async () => {
    const { deliver, states } = await scene([noop]);
    expect((await deliver(`{"type":"a","data":{"d":${"[".repeat(98)}${"]".repeat(98)}}}`)).status).toBe(200);
    expect(await states()).not.toContain("quarantined");
  });

  test("answers 503 while the storage cannot take it, and takes it afterwards", async () => {
    const memory = memoryPorts();
    let broken = true;
    const events = {
      ...memory.storage.events,
      accept: (...args: Parameters<typeof memory.storage.events.accept>) =>
        broken ? Promise.reject(new AppError("unavailable")) : memory.storage.events.accept(...args),
    };
    const { deliver, states } = await scene([noop], { ...memory, storage: { ...memory.storage, events } });
    expect((await deliver(paid)).status).toBe(503);
    broken = false;
    expect((await deliver(paid)).status).toBe(200);
    expect(await states()).toEqual(["received"]);
  });

  test("answers many copies at once with one event", async () => {
    const { deliver, states } = await scene([noop]);
    const replies = await Promise.all(Array.from({ length: 200 }, () => deliver(paid)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await states()).toEqual(["received"]);
  });
});

describe("the jobs of a fresh event", () => {
  test("start with the commit that stores it where the process has a worker with room", async () => {
    const memory = memoryPorts();
    let claims = 0;
    const jobs: typeof memory.storage.jobs = {
      ...memory.storage.jobs,
      claim: (request) => {
        claims += 1;
        return memory.storage.jobs.claim(request);
      },
    };
    const seen: unknown[] = [];
    const handler = on("acme", "*", async ({ id, type, data, body, receivedAt }, { attempt }) => {
      seen.push({ id, type, data, body: new TextDecoder().decode(body), receivedAt, attempt });
    });
    const { deliver, hire, states, ports } = await scene([handler], {
      ...memory,
      storage: { ...memory.storage, jobs },
    });
    await hire();
    const { body } = await deliver('{"type":"invoice.paid","data":{"n":1}}');
    await ports.clock.advance(0);
    expect(seen).toEqual([
      {
        id: (body as { id: string }).id,
        type: "invoice.paid",
        data: { n: 1 },
        body: '{"type":"invoice.paid","data":{"n":1}}',
        receivedAt: ports.clock.now(),
        attempt: 1,
      },
    ]);
    expect(await states()).toEqual(["processed"]);
    expect(claims).toBe(0);
  });

  test("run once where it is not known whether they were handed out", async () => {
    const memory = memoryPorts();
    const events: typeof memory.storage.events = {
      ...memory.storage.events,
      acceptFor: async (...args) => ({ ...(await memory.storage.events.acceptFor(...args)), claimed: undefined }),
    };
    let runs = 0;
    const handler = on("acme", "*", async () => {
      runs += 1;
    });
    const { deliver, hire, work, states, ports } = await scene([handler], {
      ...memory,
      storage: { ...memory.storage, events },
    });
    await hire();
    expect((await deliver(paid)).status).toBe(200);
    await ports.clock.advance(0);
    expect(runs).toBe(0);
    await work();
    expect([runs, await states()]).toEqual([1, ["processed"]]);
  });
});

describe("a trace that a webhook belongs to", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  test.each([
    [traceparent, "0af7651916cd43dd8448eb211c80319c"],
    [`${traceparent}-more`, undefined],
    ["00-00000000000000000000000000000000-b7ad6b7169203331-01", undefined],
    ["x\ny", undefined],
  ])("is in the log of request and job, and with the event: %s", async (header, traceId) => {
    const handler = on("acme", "*", async (event, { log }) =>
      log("info", "handled", { kept: event.headers.traceparent }),
    );
    const { app, ports, work } = await scene([handler]);
    const body = encoder.encode(paid);
    const signed = await sign(standardWebhooks, { keys: secret, body, id: "msg_1", timestamp: ports.clock.now() });
    const headers = { ...signed, traceparent: header };
    const request = { provider: "acme", method: "POST", url: "http://test/api/webhooks/acme", requestId: "r" };
    const answer = await app.receive({ ...request, headers, body });
    expect(answer.log).toMatchObject({ provider: "acme", result: "accepted", trace_id: traceId });
    await work();
    const handled = ports.telemetry.entries.find(({ message }) => message === "handled");
    expect(handled?.fields).toMatchObject({
      event: expect.any(Number),
      trace_id: traceId,
      kept: traceId === undefined ? undefined : header,
    });
  });
});
