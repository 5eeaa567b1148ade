import type { StoredEvent } from "@postern/core/ports";
import { defineProvider } from "@postern/inbox";
import { traceOfEvent } from "@postern/inbox/internal";
import { createVerifier, type Scheme } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { token } from "@postern/webhook-verifier/schemes/token";
import { expect, test } from "vitest";

const stored: StoredEvent = {
  id: 7,
  provider: "shop",
  eventId: "evt_1",
  type: "paid",
  state: "processed",
  reason: undefined,
  occurredAt: undefined,
  receivedAt: Date.UTC(2026, 10, 21),
  repeats: 0,
  bodyKept: true,
  dedupeKey: "shop:evt_1",
  disposition: "accepted",
  headers: { "x-github-delivery": "evt_1", "x-github-event": "paid" },
  body: new TextEncoder().encode("{}"),
};

const headersOf = async (scheme: Scheme, settings?: Readonly<Record<string, string>>) => {
  const keys = ["a-secret-of-more-than-16-bytes"];
  const verifier = createVerifier(scheme, settings === undefined ? { keys } : { keys, settings });
  const { headers } = await traceOfEvent(defineProvider({ name: "shop", verifier }), stored);
  return headers.map(({ name }) => name);
};

test("the headers looked at of an accepted event name that of the signature, also where a setting names it", async () => {
  expect(await headersOf(github)).toContain("x-hub-signature-256");
  expect(await headersOf(stripe)).toContain("stripe-signature");
  expect(await headersOf(token)).toContain("authorization");
  expect(await headersOf(token, { header: "X-Shop-Token" })).toContain("x-shop-token");
});
