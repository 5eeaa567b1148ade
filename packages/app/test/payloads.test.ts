import { createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import type { OnOptions } from "@postern/inbox";
import { defineProvider, type InboxEvent, type InboxHandler, on, type PayloadSchema } from "@postern/inbox";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { encoder, noop, scene, secret } from "./inbox-scene.ts";

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
    await deliver('{"type":"a","data":{}}', { id: "nothing" });
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
    await app.receive({ ...request, headers: { ...signed, ...more }, body: bytes });
    const worker = app.worker({ name: "test", concurrency: 1 });
    await worker.start();
    await worker.runDue();
    await ports.clock.advance(0);
    const [stored] = await ports.storage.events.list({ limit: 1 });
    const id = String(stored?.id);
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

describe("whole numbers beyond 2^53", () => {
  const body = '{"type":"a","data":{"id":408372092144951419,"n":1}}';
  const handlerOf = (options: OnOptions, seen: unknown[]) =>
    on("acme", "*", async ({ data }) => void seen.push(data), options);

  test.each<[string, OnOptions, unknown]>([
    ["as bigint by default", {}, 408372092144951419n],
    ["as text", { integers: "text" }, "408372092144951419"],
    ["as doubles", { integers: "number" }, 408372092144951400],
    ["through a JSON Schema", { schema: { properties: { id: { type: "integer", minimum: 1 } } } }, 408372092144951419n],
    [
      "through a schema of another library",
      { schema: z.object({ id: z.bigint(), n: z.number() }) },
      408372092144951419n,
    ],
    [
      "to a schema in the handler's own form",
      { integers: "text", schema: z.looseObject({ id: z.string() }) },
      "408372092144951419",
    ],
  ])("reach a handler %s", async (_how, options, id) => {
    const seen: unknown[] = [];
    const { deliver, work, app, ports } = await scene([handlerOf(options, seen)]);
    await deliver(body);
    await work();
    expect(seen).toEqual([{ id, n: 1 }]);
    const [stored] = await ports.storage.events.list({ limit: 1 });
    const principal = { kind: "operator", name: "test" } as const;
    const shown = await app.run({ operation: "admin.events.read", principal, params: { id: String(stored?.id) } });
    expect(shown.body).toMatchObject({ data: { id: "408372092144951419" } });
  });

  test("are compared exactly by `where`, and one that JavaScript has rounded is refused", async () => {
    const seen: unknown[] = [];
    const { deliver, work, states } = await scene([
      handlerOf({ where: { id: 408372092144951419n } }, seen),
      handlerOf({ name: "other", where: { id: 408372092144951418n } }, seen),
    ]);
    await deliver(body);
    await work();
    expect(seen).toHaveLength(1);
    expect(await states()).toEqual(["processed"]);
    // biome-ignore lint/correctness/noPrecisionLoss: this is the mistake.
    expect(() => handlerOf({ where: { id: [1, 408372092144951419] } }, seen)).toThrow(
      'has rounded the number 408372092144951400 of where "id"; write it as bigint',
    );
  });

  test("make order keys as exact as data", async () => {
    const keys: string[] = [];
    const keyed = (integers: OnOptions["integers"]) =>
      on("acme", "*", async () => undefined, {
        name: integers ?? "usual",
        ...(integers === undefined ? {} : { integers }),
        orderKey: ({ data }) => {
          const { id } = data as { id: unknown };
          keys.push(`${typeof id} ${id}`);
          return String(id);
        },
      });
    const { deliver } = await scene([keyed(undefined), keyed("text")]);
    await deliver(body);
    expect(keys).toEqual(["bigint 408372092144951419", "string 408372092144951419"]);
  });

  test("stay exact in the events of a batch", async () => {
    const ports = memoryPorts();
    const seen: unknown[] = [];
    const verifier = createVerifier(schemes.gocardless, { keys: secret, now: () => ports.clock.now() });
    const app = createApp({
      ports,
      providers: [defineProvider({ name: "gocardless", verifier })],
      handlers: [on("gocardless", "*", async (event) => void seen.push([event.payload, event.body]))],
    });
    const text = '{"events":[{"id":"EV1","n":12345678901234567890},{"id":"EV2","n":1}]}';
    const headers = await sign(schemes.gocardless, { keys: secret, body: text });
    const request = { provider: "gocardless", method: "POST", url: "http://test/api/webhooks/gocardless" };
    await app.receive({ ...request, requestId: "r", headers, body: Buffer.from(text) });
    const worker = app.worker({ name: "test", concurrency: 2 });
    await worker.start();
    await worker.runDue();
    await ports.clock.advance(0);
    expect(seen).toEqual([
      [{ id: "EV1", n: 12345678901234567890n }, expect.anything()],
      [{ id: "EV2", n: 1 }, expect.anything()],
    ]);
  });
});
