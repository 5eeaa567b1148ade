import type { ClaimedJob, StoredEvent } from "@postern/core/ports";
import { RunContext, RunStop } from "@postern/jobs/internal";
import { createVerifier } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { describe, expect, test } from "vitest";
import { HandledEvent } from "../src/handler.ts";
import { defineProvider } from "../src/provider.ts";

const verifier = createVerifier(standardWebhooks, { keys: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" });
const provider = defineProvider({ name: "acme", verifier });
const body = new TextEncoder().encode('{"type":"invoice.paid","data":{"amount":5}}');

const handled = (bytes: Uint8Array = body) => {
  const stored = {
    id: 7,
    provider: "acme",
    eventId: "msg_7",
    type: "invoice.paid",
    headers: { "webhook-id": "msg_7" },
    receivedAt: 1_800_000_000_000,
    occurredAt: undefined,
    body: bytes,
  };
  // A handler's event is made from these members of the stored one.
  return new HandledEvent(stored as unknown as StoredEvent, bytes, provider);
};

const context = () => {
  const job = { id: 3, attempt: 2, createdAt: 1000 } as unknown as ClaimedJob;
  const stop = new RunStop();
  const notHere = () => Promise.reject(new Error("not here"));
  const parts = { time: { now: () => 5 }, log: () => undefined, read: notHere, commit: notHere, mail: notHere };
  return { stop, context: new RunContext(job, stop, parts) };
};

/** The names of the members that an object computes with a function that another one does not have. */
const computedAlone = (one: object, another: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(one))
    .filter(([name, { get }]) => get !== Object.getOwnPropertyDescriptor(another, name)?.get)
    .map(([name]) => name);

describe("an event that a handler gets", () => {
  const whole = {
    id: "7",
    provider: "acme",
    eventId: "msg_7",
    type: "invoice.paid",
    metadata: expect.any(Object),
    data: { amount: 5 },
    payload: { type: "invoice.paid", data: { amount: 5 } },
    body,
    headers: { "webhook-id": "msg_7" },
    query: {},
    leftOut: [],
    covered: ["id", "timestamp", "body", "type"],
    overruled: undefined,
    receivedAt: 1_800_000_000_000,
    occurredAt: undefined,
  };

  test("has all its members in a copy, however it is copied", () => {
    expect({ ...handled() }).toEqual(whole);
    expect(Object.assign({}, handled())).toEqual(whole);
    expect(structuredClone(handled())).toEqual(whole);
    const { body: _bytes, occurredAt: _none, overruled: _nobody, ...told } = whole;
    expect(JSON.parse(JSON.stringify(handled()))).toMatchObject(told);
  });

  test("has its payload parsed once", () => {
    const event = handled();
    expect(event.payload).toBe(event.payload);
    expect(event.metadata).toBe(event.metadata);
  });

  test("computes its members with the functions of all events, so that V8 needs one map for all", () => {
    expect(computedAlone(handled(), handled())).toEqual([]);
  });
});

describe("the context of a run", () => {
  test("can be taken apart and copied", () => {
    const { context: made, stop } = context();
    const { attempt, signal, now } = made;
    expect([attempt, signal, now()]).toEqual([2, stop.signal, 5]);
    expect({ ...made }).toMatchObject({ attempt: 2, idempotencyKey: "postern-job-3-1000", signal: stop.signal });
  });

  test("computes its members with the functions of all contexts", () => {
    expect(computedAlone(context().context, context().context)).toEqual([]);
  });
});
