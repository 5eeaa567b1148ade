import { memoryPorts } from "@postern/core/memory";
import { createVerifier, type Scheme, type SignInput, signRequest } from "@postern/webhook-verifier";
import { schemes } from "@postern/webhook-verifier/schemes";
import { describe, expect, test } from "vitest";
import { createInbox } from "../src/create-inbox.ts";
import { HandledEvent } from "../src/handler.ts";
import { on } from "../src/on.ts";
import { createProviders } from "../src/provider-registry.ts";

const key = "a-secret-that-only-the-two-know";
const url = "https://example.com/api/webhooks/sender?order=42";

/** An inbox for a sender, what it does with a request, and the events as their handlers get them. */
const receiver = (scheme: Scheme) => {
  const keys = key;
  const ports = memoryPorts();
  const provider = { name: "sender", verifier: createVerifier(scheme, { keys, now: ports.clock.now }) };
  const inbox = createInbox({
    ports,
    providers: createProviders(ports, new Map([[provider.name, provider]])),
    handlers: [on("sender", "*", async () => undefined)],
  });
  const send = async (given: Partial<SignInput> = {}) => {
    const signed = await signRequest(scheme, { keys, url, body: "{}", timestamp: ports.clock.now(), ...given });
    const { headers, body, method } = signed;
    return inbox.receive({ provider: "sender", method, url: signed.url ?? url, headers, body, requestId: "1" });
  };
  const events = async () => {
    const listed = await ports.storage.events.list({ limit: 100 });
    const found = await Promise.all(listed.toReversed().map(({ id }) => ports.storage.events.find(id)));
    return found.flatMap((event) =>
      event?.body === undefined
        ? []
        : [{ state: event.state, reason: event.reason, event: new HandledEvent(event, event.body, provider) }],
    );
  };
  return { send, events };
};

/** Of fields, which have no prototype, and of anything else. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : structuredClone(value));

describe("methods", () => {
  const payloads = [
    ["twilio", "GET", "", { order: "42" }],
    ["zendesk", "GET", "", undefined],
    ["zendesk", "PUT", '{"type":"a"}', { type: "a" }],
    ["token", "PUT", '{"a":1}', { a: 1 }],
    ["token", "GET", "", undefined],
  ] as const;

  test.each(payloads)("%s by %s is an event", async (name, method, body, payload) => {
    const { send, events } = receiver(schemes[name]);
    expect(await send({ method, body })).toMatchObject({ status: 200, done: "stored" });
    const [only] = await events();
    expect(only).toMatchObject({ reason: undefined });
    expect(plain(only?.event.payload)).toEqual(payload);
  });

  test("a method that a sender does not name is told, with those that it does", async () => {
    for (const [scheme, method, allow] of [
      [schemes.github, "GET", "POST"],
      [schemes.stripe, "PUT", "POST"],
      [schemes.stripe, "HEAD", "POST"],
      [schemes.zendesk, "HEAD", "POST, GET, PUT"],
      [schemes.intercom, "GET", "POST, HEAD"],
    ] as const) {
      const { send, events } = receiver(scheme);
      await expect(send({ method })).rejects.toMatchObject({ code: "method_not_allowed", headers: { allow } });
      expect(await events()).toEqual([]);
    }
  });

  test.each(["intercom", "trello", "mandrill", "moneybird"] as const)("%s: a HEAD says nothing", async (name) => {
    const { send, events } = receiver(schemes[name]);
    const answer = await send({ method: "HEAD", body: name === "mandrill" ? "" : "{}" });
    expect(answer).toMatchObject({ status: 200, text: "", done: "handshake" });
    expect(await events()).toEqual([]);
  });
});

describe("bodies that are not JSON", () => {
  test("one that nobody can read is an event without a payload where the sender promises no JSON", async () => {
    for (const name of ["docusign", "zendesk", "token"] as const) {
      const { send, events } = receiver(schemes[name]);
      await send({ body: "<a/>", headers: { "content-type": "text/xml" } });
      const [only] = await events();
      expect(only).toMatchObject({ reason: undefined });
      expect([only?.event.payload, only?.event.data]).toEqual([undefined, undefined]);
      expect(Buffer.from(only?.event.body ?? "").toString()).toBe("<a/>");
    }
  });

  test("it is quarantined where the sender promises JSON", async () => {
    const { send, events } = receiver(schemes.paystack);
    await send({ body: "<a/>", headers: { "content-type": "text/xml" } });
    expect(await events()).toMatchObject([{ state: "quarantined", reason: "the body is not JSON" }]);
  });

  test("a notification of a Google channel is all in its headers", async () => {
    const { send, events } = receiver(schemes["google-channels"]);
    const headers = { "x-goog-resource-state": "exists" };
    for (const number of ["1", "2", "2"])
      await send({ body: "", id: "c1", headers: { ...headers, "x-goog-message-number": number } });
    expect(await events()).toMatchObject([
      { reason: undefined, event: { eventId: "c1.1", type: "exists", payload: undefined } },
      { reason: undefined, event: { eventId: "c1.2" } },
    ]);
  });

  test("a form and its files are read again from what is stored", async () => {
    const { send, events } = receiver(schemes.token);
    const data = new FormData();
    data.set("subject", "Hello");
    data.set("attachment", new File(["%PDF"], "a.pdf", { type: "application/pdf" }));
    const request = new Request(url, { method: "POST", body: data });
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    await send({ body: new Uint8Array(await request.arrayBuffer()), headers });
    await send({ body: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } });
    expect((await events()).map(({ event }) => plain(event.data))).toEqual([
      { subject: "Hello", attachment: { name: "a.pdf", type: "application/pdf", size: 4 } },
      { a: "1" },
    ]);
  });

  test("whole numbers that a double cannot hold are whole in JSON of a sender that sends forms, too", async () => {
    const { send, events } = receiver(schemes.token);
    await send({ body: '{"id":12345678901234567890}', headers: { "content-type": "application/json" } });
    expect((await events())[0]?.event.data).toEqual({ id: 12345678901234567890n });
  });
});

describe("CloudEvents", () => {
  const attributes = { specversion: "1.0", id: "e-1", source: "/shops/7", type: "paid", subject: "42", extra: "x" };

  test("structured mode reaches the handler with its attributes and extensions", async () => {
    const { send, events } = receiver(schemes.cloudevents);
    await send({ body: JSON.stringify({ ...attributes, data: { a: 1 } }) });
    const [only] = await events();
    expect(only).toMatchObject({ reason: undefined, event: { type: "paid", eventId: "e-1", data: { a: 1 } } });
    expect(only?.event.metadata.rest).toEqual(attributes);
  });

  test.each([
    ["application/json", '{"a":1}', { a: 1 }],
    ["text/plain", "é", "é"],
  ])("binary mode with %s is put together again from what is stored", async (type, body, data) => {
    const { send, events } = receiver(schemes.cloudevents);
    const sent = { "ce-source": "/shops/7", "ce-subject": "42", "ce-extra": "x", "content-type": type };
    await send({ body, id: "e-1", type: "paid", headers: sent });
    const [only] = await events();
    expect(only).toMatchObject({ reason: undefined, event: { type: "paid", eventId: "e-1", data } });
    expect({ ...only?.event.metadata.rest }).toEqual({ ...attributes, datacontenttype: type });
  });

  test("a batch is one event for each item", async () => {
    const { send, events } = receiver(schemes.cloudevents);
    const list = [
      { ...attributes, data: { long: "L" } },
      { ...attributes, id: "e-2", type: "text", datacontenttype: "text/plain", data: "é" },
      { ...attributes, id: "e-3", type: "none" },
    ];
    const body = JSON.stringify(list).replace('"L"', "12345678901234567890");
    const headers = { "content-type": "application/cloudevents-batch+json" };
    expect(await send({ body, headers })).toMatchObject({ status: 200, done: "stored" });
    const stored = await events();
    expect(stored.map(({ reason }) => reason)).toEqual([undefined, undefined, undefined]);
    expect(stored.map(({ event }) => [event.eventId, event.type, event.data])).toEqual([
      ["e-1", "paid", { long: 12345678901234567890n }],
      ["e-2", "text", "é"],
      ["e-3", "none", { ...attributes, id: "e-3", type: "none" }],
    ]);
  });
});
