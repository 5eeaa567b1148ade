import { createApp } from "@postern/app";
import { allRows, defineProvider } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { createVerifier, sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { expect, test } from "vitest";
import { markPaid } from "../handlers/mark-paid.ts";
import { invoice } from "../invoices/invoice.ts";

const keys = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const operator = { kind: "operator", name: "test" } as const;

test("a webhook marks my invoice paid, once", async () => {
  // Everything is in memory, and the clock stands still until `advance` moves it.
  const ports = memoryPorts();
  const { storage, clock } = ports;
  const verifier = createVerifier(standardWebhooks, { keys, now: () => clock.now() });
  const demo = defineProvider({ name: "demo", verifier });
  const app = createApp({ ports, resources: [invoice], providers: [demo], handlers: [markPaid] });
  const worker = app.worker({ name: "test", concurrency: 1 });
  await worker.start();

  const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
  const { body: owner } = await app.run({ operation: "users.create", principal: operator, body: ada });
  const [id, now] = [ports.ids.uuid(), new Date(clock.now()).toISOString()];
  const sent = { number: "2026-0042", amount: 12.5, currency: "EUR", due_on: "2026-11-30", state: "sent" };
  const stamps = { sent_at: now, paid_at: null, created_at: now, updated_at: now };
  await storage.resources.insert(invoice, { id, user_id: Object(owner).id, ...sent, ...stamps });

  const deliver = async () => {
    const data = { number: "2026-0042", amount: 12.5 };
    const body = new TextEncoder().encode(JSON.stringify({ type: "invoice.paid", data }));
    const headers = await sign(standardWebhooks, { keys, body, id: "evt_1", timestamp: clock.now() });
    const url = "https://example.com/api/webhooks/demo";
    return app.receive({ provider: "demo", method: "POST", url, headers, body, requestId: "test" });
  };
  expect((await deliver()).status).toBe(200);
  expect((await deliver()).body).toMatchObject({ status: "duplicate" });

  await worker.runDue(); // starts what is due, and does not wait for it
  await clock.advance(0); // lets it end

  const stored = await storage.resources.find(invoice, id, allRows("test"));
  expect(stored).toMatchObject({ state: "paid", paid_at: "2026-01-01T00:00:00.000Z", revision: 2 });
  expect(await storage.jobRecords.countByState()).toMatchObject({ done: 1, dead: 0 });
});
