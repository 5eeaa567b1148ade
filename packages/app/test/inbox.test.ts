import { type App, createApp } from "@postern/app";
import {
  AppError,
  defineProvider,
  forwardHandler,
  type InboxEvent,
  type InboxHandler,
  on,
  type PayloadSchema,
  Permanent,
  RetryAt,
} from "@postern/core";
import { type MemoryPorts, memoryFetcher, memoryPorts } from "@postern/core/memory";
import { createVerifier, schemes, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const encoder = new TextEncoder();

interface Scene {
  readonly app: App;
  readonly ports: MemoryPorts;
  /** Signs and delivers; answers status and body. */
  deliver(
    body: string | Uint8Array,
    changes?: { id?: string; tamper?: boolean; provider?: string },
  ): Promise<{ status: number; body: unknown }>;
  /** Starts a worker in the same process, unless there is one. */
  hire(): Promise<void>;
  /** Claims what is ready and waits until it has ended. */
  work(): Promise<number>;
  states(): Promise<string[]>;
}

const scene = async (
  handlers: readonly InboxHandler[],
  instead: Partial<MemoryPorts> = {},
  schemas: Readonly<Record<string, PayloadSchema>> = {},
): Promise<Scene> => {
  const ports = memoryPorts(instead);
  const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
  const app = createApp({ ports, providers: [defineProvider({ name: "acme", verifier, schemas })], handlers });
  const worker = app.worker({ name: "test", concurrency: 10 });
  let started: Promise<void> | undefined;
  const hire = (): Promise<void> => {
    started ??= worker.start();
    return started;
  };
  return {
    app,
    hire,
    ports,
    deliver: async (body, { id = "msg_1", tamper = false, provider = "acme" } = {}) => {
      const bytes = typeof body === "string" ? encoder.encode(body) : body;
      const headers = await sign(standardWebhooks, { keys: secret, body: bytes, id, timestamp: ports.clock.now() });
      const sent = tamper ? bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1) : bytes;
      const webhook = {
        provider,
        method: "POST",
        url: `http://test/api/webhooks/${provider}`,
        headers,
        body: sent,
        requestId: "r",
      };
      const { status, body: answer } = await app.receive(webhook);
      return { status, body: answer };
    },
    work: async () => {
      await hire();
      const begun = await worker.runDue();
      await ports.clock.advance(0);
      return begun;
    },
    states: async () => (await ports.storage.events.list({ limit: 100 })).map(({ state }) => state).toReversed(),
  };
};

const paid = '{"type":"invoice.paid","data":{"amount": 12345678901234567890}}';
const noop = on("acme", "*", async () => undefined);

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
    ["no JSON", "type=invoice.paid", "the body is not JSON"],
    ["a type that no column holds", `{"type":"${"x".repeat(129)}"}`, "the event's type is too long"],
    ["a type with a NUL", '{"type":"a\\u0000b"}', "the event's id or type holds NUL characters or lone surrogates"],
    ["bytes that are not UTF-8", Uint8Array.of(0xff, 0xfe), "the body is not JSON"],
    ["levels upon levels", `{"type":"a","d":${"[".repeat(100)}${"]".repeat(100)}}`, "the body is nested too deeply"],
  ])("quarantines an authentic event with %s, answers 200 and alerts", async (_what, body, reason) => {
    const { deliver, work, states, ports } = await scene([noop]);
    expect(await deliver(body)).toMatchObject({ status: 200, body: { status: "quarantined" } });
    expect(await work()).toBe(0);
    expect(await states()).toEqual(["quarantined"]);
    expect((await ports.storage.events.list({ limit: 1 }))[0]?.reason).toBe(reason);
    expect(ports.alerts.raised).toEqual([
      expect.objectContaining({ kind: "event.quarantined", text: expect.stringContaining(reason) }),
    ]);
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
    expect((await deliver(`{"type":"a","d":${"[".repeat(99)}${"]".repeat(99)}}`)).status).toBe(200);
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
    const { body } = await deliver('{"type":"invoice.paid","n":1}');
    await ports.clock.advance(0);
    expect(seen).toEqual([
      {
        id: (body as { id: string }).id,
        type: "invoice.paid",
        data: { type: "invoice.paid", n: 1 },
        body: '{"type":"invoice.paid","n":1}',
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

describe("a payload schema", () => {
  const invoice = z.object({ amount: z.number(), paid_at: z.coerce.date() });
  const ofData = { type: "object", required: ["amount"], properties: { amount: { type: "integer", minimum: 0 } } };
  const asJsonSchema = {
    type: "object",
    required: ["data"],
    properties: {
      data: { type: "object", required: ["amount"], properties: { amount: { type: "integer", minimum: 0 } } },
    },
  };

  test("gives the handler's data its type, and the value the schema makes", async () => {
    const seen: [number, Date][] = [];
    const { deliver, work } = await scene([
      on("acme", "invoice.paid", async ({ data }) => void seen.push([data.amount, data.paid_at]), {
        schema: invoice,
      }),
    ]);
    await deliver('{"type":"invoice.paid","data":{"amount":5,"paid_at":"2026-01-02"}}');
    await work();
    expect(seen).toEqual([[5, new Date("2026-01-02")]]);
  });

  test.each([
    ["zod", invoice, /schema of handler acme:invoice.paid: \/amount: .*number.*; \/paid_at:/],
    ["JSON Schema", ofData, /schema of handler acme:invoice.paid: \/amount: it is of type string, not integer/],
  ])("in %s quarantines what does not fit, with place and reason and no value", async (_kind, schema, reason) => {
    const { deliver, work, ports } = await scene([on("acme", "invoice.paid", async () => undefined, { schema })]);
    expect(await deliver('{"type":"invoice.paid","data":{"amount":"s3cret"}}')).toMatchObject({
      body: { status: "quarantined" },
    });
    expect(await work()).toBe(0);
    const [stored] = await ports.storage.events.list({ limit: 1 });
    expect(stored?.reason).toMatch(reason);
    expect(JSON.stringify([stored, ports.alerts.raised])).not.toContain("s3cret");
  });

  test("of a provider holds for the types it names, with any handler", async () => {
    const { deliver, states } = await scene([noop], {}, { "invoice.*": asJsonSchema });
    await deliver('{"type":"invoice.paid","data":{"amount":-1}}', { id: "msg_1" });
    await deliver('{"type":"invoice.paid","data":{"amount":1}}', { id: "msg_2" });
    await deliver('{"type":"customer.made","data":{"amount":-1}}', { id: "msg_3" });
    expect(await states()).toEqual(["quarantined", "received", "received"]);
  });

  test("that has been mended lets a quarantined event be replayed, and not before", async () => {
    const schemas: Record<string, PayloadSchema> = { "*": asJsonSchema };
    const { deliver, app, states, work } = await scene([noop], {}, schemas);
    const { body } = await deliver('{"type":"invoice.paid","data":{"amount":-1}}');
    const replay = () =>
      app.run({
        operation: "admin.events.replay",
        principal: { kind: "operator", name: "test" },
        params: { id: (body as { id: string }).id },
      });
    await expect(replay()).rejects.toMatchObject({ code: "state_conflict", detail: expect.stringContaining("amount") });
    schemas["*"] = { ...asJsonSchema, properties: {} };
    expect((await replay()).status).toBe(202);
    await work();
    expect(await states()).toEqual(["processed"]);
  });

  test("that makes no sense is refused when it is declared", () => {
    const schema = { type: "no such type" };
    expect(() => on("acme", "*", async () => undefined, { schema })).toThrow(/JSON Schema cannot be used/);
    const verifier = createVerifier(standardWebhooks, { keys: secret });
    expect(() => defineProvider({ name: "acme", verifier, schemas: { "a.b": schema } })).toThrow(
      /provider "acme", type a.b: this JSON Schema/,
    );
  });
});

describe("a body that is a form", () => {
  test("comes to the handler as its sender means it", async () => {
    const ports = memoryPorts();
    const github = defineProvider({ name: "github", verifier: createVerifier(schemes.github, { keys: secret }) });
    const seen: unknown[] = [];
    const handlers = [on("github", "pull_request.opened", async ({ data }) => void seen.push(data))];
    const app = createApp({ ports, providers: [github], handlers });
    const body = encoder.encode(`payload=${encodeURIComponent('{"action":"opened","number":7}')}`);
    const headers = await sign(schemes.github, { keys: secret, body, id: "d1", type: "pull_request" });
    const request = { provider: "github", method: "POST", url: "http://test/api/webhooks/github", requestId: "r" };
    expect(await app.receive({ ...request, headers, body })).toMatchObject({ body: { status: "accepted" } });
    const worker = app.worker({ name: "test", concurrency: 1 });
    await worker.start();
    await worker.runDue();
    await ports.clock.advance(0);
    expect(seen).toEqual([{ action: "opened", number: 7 }]);
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

describe("a handler that looks into the event", () => {
  test("gets the events whose data has its values, and no others", async () => {
    const seen: string[] = [];
    const handler: InboxHandler = {
      ...on("acme", "*", async ({ eventId }) => void seen.push(eventId ?? "")),
      where: { live: true, "items.0.currency": ["eur", "usd"], note: null, "$.type": "a" },
    };
    const { deliver, work, states } = await scene([handler]);
    const payload = (live: unknown, currency: string, note: unknown = null) =>
      JSON.stringify({ type: "a", data: { live, items: [{ currency }], note } });
    await deliver(payload(true, "usd"), { id: "wanted" });
    await deliver(payload("true", "usd"), { id: "text" });
    await deliver(payload(true, "chf"), { id: "other" });
    await deliver(payload(true, "eur", "x"), { id: "note" });
    await deliver('{"type":"a"}', { id: "nothing" });
    await work();
    expect(seen).toEqual(["wanted"]);
    expect(await states()).toEqual(["processed", "ignored", "ignored", "ignored", "ignored"]);
  });
});

describe("the parts of an event", () => {
  /** Delivers an event, and tells what its handler, its order key and the API saw. */
  const sent = async (
    name: "stripe" | "github" | "slack" | "pagerduty",
    more: Record<string, string>,
    body: object,
  ) => {
    const ports = memoryPorts();
    const timestamp = ports.clock.now();
    const verifier = createVerifier(schemes[name], { keys: secret, now: () => ports.clock.now() });
    const seen: InboxEvent[] = [];
    const keys: string[] = [];
    const app = createApp({
      ports,
      providers: [defineProvider({ name, verifier })],
      handlers: [
        on(name, "*", async (event) => void seen.push(event), {
          orderKey: ({ data }) => {
            keys.push(JSON.stringify(data));
            return "one";
          },
        }),
      ],
    });
    const bytes = encoder.encode(JSON.stringify(body));
    const signed = await sign(schemes[name], { keys: secret, body: bytes, id: "d1", type: "push", timestamp });
    const request = { provider: name, method: "POST", url: `http://test/api/webhooks/${name}`, requestId: "r" };
    const answer = await app.receive({ ...request, headers: { ...signed, ...more }, body: bytes });
    const worker = app.worker({ name: "test", concurrency: 1 });
    await worker.start();
    await worker.runDue();
    await ports.clock.advance(0);
    const { id } = answer.body as { id: string };
    const principal = { kind: "operator", name: "test" } as const;
    const shown = await app.run({ operation: "admin.events.read", principal, params: { id } });
    return { event: seen[0], keys, shown: shown.body, timestamp };
  };

  test("are what the scheme of its sender says, for handlers, order keys and the API alike", async () => {
    const object = { id: "in_1", status: "paid" };
    const body = { id: "evt_1", type: "invoice.paid", api_version: "2026-01-28", livemode: true, data: { object } };
    const { event, keys, shown, timestamp } = await sent("stripe", {}, body);
    expect(event).toMatchObject({ data: { object }, payload: body });
    expect(keys).toEqual([JSON.stringify({ object })]);
    const rest = { id: "evt_1", type: "invoice.paid", api_version: "2026-01-28", livemode: true };
    expect(event?.metadata).toEqual({
      deliveryId: "evt_1",
      attempt: undefined,
      sentAt: timestamp,
      apiVersion: "2026-01-28",
      rest,
    });
    expect(shown).toMatchObject({
      data: { object },
      payload: body,
      metadata: {
        delivery_id: "evt_1",
        attempt: null,
        sent_at: new Date(timestamp).toISOString(),
        api_version: "2026-01-28",
        rest,
      },
    });
  });

  test("are the whole body as data where the sender tells nothing beside it", async () => {
    const { event, shown } = await sent("github", {}, { action: "opened", data: 1 });
    expect(event).toMatchObject({ data: { action: "opened", data: 1 }, metadata: { deliveryId: "d1", rest: {} } });
    expect(shown).toMatchObject({ data: { action: "opened", data: 1 }, metadata: { rest: {}, sent_at: null } });
  });

  test("may stand in headers and deep in the body", async () => {
    const slack = { type: "event_callback", event_id: "Ev1", event: { type: "push", text: "hi" } };
    expect((await sent("slack", { "x-slack-retry-num": "2" }, slack)).event).toMatchObject({
      data: { type: "push", text: "hi" },
      metadata: { attempt: 2, rest: { type: "event_callback", event_id: "Ev1" } },
    });
    const pager = { event: { id: "e1", event_type: "incident.triggered", data: { id: "P1" } }, other: 1 };
    expect((await sent("pagerduty", {}, pager)).event).toMatchObject({
      data: { id: "P1" },
      metadata: { rest: { event: { id: "e1", event_type: "incident.triggered" }, other: 1 } },
    });
  });

  test("do not fail where the place of the data is empty: the payload is the data", async () => {
    const body = { id: "evt_1", type: "a" };
    expect((await sent("stripe", {}, body)).event).toMatchObject({ data: body, payload: body, metadata: { rest: {} } });
  });
});

describe("running a handler", () => {
  test("tries again as senders do, and gives up after the last time", async () => {
    const attempts: number[] = [];
    const retry = { delaysMs: [5_000, 30_000] };
    const failing = on(
      "acme",
      "*",
      async (_event, { attempt }) => {
        attempts.push(attempt);
        throw new Error("no use");
      },
      { retry },
    );
    const { deliver, work, states, ports } = await scene([failing]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["retrying"]);
    await ports.clock.advance(2_000);
    expect(await work()).toBe(0);
    await ports.clock.advance(3_000);
    expect(await work()).toBe(1);
    await ports.clock.advance(30_000);
    await work();
    expect(attempts).toEqual([1, 2, 3]);
    expect(await states()).toEqual(["dead"]);
    expect(ports.alerts.raised).toEqual([expect.objectContaining({ kind: "job.dead" })]);
  });

  test("gives up at once on what is permanent", async () => {
    const { deliver, work, states } = await scene([
      on("acme", "*", async () => {
        throw new Permanent("customer was deleted");
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["dead"]);
  });

  test("waits as long as the handler says", async () => {
    const ports = memoryPorts();
    const at = ports.clock.now() + 77_000;
    const { deliver, work } = await scene(
      [
        on("acme", "*", async () => {
          throw new RetryAt(at, "busy");
        }),
      ],
      ports,
    );
    await deliver(paid);
    await work();
    expect(await ports.storage.jobs.nextDueAt()).toBe(at);
  });

  test("writes the effect and the end of the job together", async () => {
    const { deliver, work, states, ports } = await scene([
      on("acme", "*", async (_event, { commit }) => {
        await commit(async ({ jobs }) => jobs.enqueue([{ kind: "mail", maxAttempts: 1, dueAt: 9e12 }], 0));
        throw new Error("too late to matter");
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processed"]);
    expect(await ports.storage.jobRecords.list({ kind: "mail", limit: 5 })).toHaveLength(1);
  });

  test("writes no effect when the commit fails", async () => {
    const { deliver, work, states, ports } = await scene([
      on("acme", "*", async (_event, { commit }) => {
        await commit(async ({ jobs }) => {
          await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 0);
          throw new Error("constraint");
        });
      }),
    ]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["retrying"]);
    expect(await ports.storage.jobRecords.list({ kind: "mail", limit: 5 })).toHaveLength(0);
  });

  test("tells a slow handler to stop, and goes on without one that does not listen", async () => {
    const reasons: unknown[] = [];
    const deaf = on(
      "acme",
      "*",
      (_event, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
        }),
      { timeoutMs: 1_000 },
    );
    const { deliver, work, states, ports } = await scene([deaf]);
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processing"]);
    await ports.clock.advance(1_000);
    expect(reasons).toEqual(["timeout"]);
    await ports.clock.advance(10_000);
    expect(await states()).toEqual(["retrying"]);
  });

  test("runs each handler that wants the event by itself", async () => {
    let flaky = 0;
    const { deliver, work, states } = await scene([
      noop,
      on(
        "*",
        "invoice.*",
        async () => {
          flaky += 1;
          if (flaky === 1) throw new Error("once");
        },
        { name: "flaky", retry: { delaysMs: [0] } },
      ),
    ]);
    await deliver(paid);
    await work();
    await work();
    expect(flaky).toBe(2);
    expect(await states()).toEqual(["processed"]);
  });
});

describe("forwarding", () => {
  const route = { provider: "*", type: "*", url: "https://app.example.com/hooks", secret };

  const forwarding = async (answer: { status: number; headers?: Record<string, string> }) => {
    const memory = memoryPorts();
    const fetcher = memoryFetcher({ [route.url]: () => answer });
    const forward = forwardHandler({ ...memory, fetcher }, route);
    return { ...(await scene([forward], { ...memory, fetcher })), fetcher };
  };

  test("sends the same bytes on, signed anew", async () => {
    const { deliver, work, states, fetcher, ports } = await forwarding({ status: 204 });
    await deliver(paid);
    await work();
    expect(await states()).toEqual(["processed"]);
    const [sent] = fetcher.requests;
    if (sent?.body === undefined) throw new Error("nothing was sent");
    const verifier = createVerifier(standardWebhooks, { keys: secret, now: () => ports.clock.now() });
    const delivery = await verifier.verify({ headers: { ...sent.headers }, body: sent.body });
    expect(new TextDecoder().decode(delivery.body)).toBe(paid);
    expect(sent.headers).toMatchObject({ "postern-provider": "acme", "postern-event-type": "invoice.paid" });
  });

  test.each([
    [{ status: 500 }, "retrying"],
    [{ status: 302 }, "retrying"],
    [{ status: 410 }, "dead"],
  ])("treats %o as %s", async (answer, state) => {
    const { deliver, work, states } = await forwarding(answer);
    await deliver(paid);
    await work();
    expect(await states()).toEqual([state]);
  });

  test("waits as long as the target asks for", async () => {
    const { deliver, work, ports } = await forwarding({ status: 429, headers: { "retry-after": "120" } });
    await deliver(paid);
    const before = ports.clock.now();
    await work();
    expect(await ports.storage.jobs.nextDueAt()).toBe(before + 120_000);
  });
});
