import { newJob } from "@postern/jobs";
import { testPostern } from "@postern/testing";
import { afterEach, expect, test, vi } from "vitest";
import { remind } from "../handlers/remind.ts";
import { invoice } from "../invoices/invoice.ts";

afterEach(() => vi.unstubAllGlobals());

test("a reminder is sent once, although the mail service was away twice", async () => {
  const statuses = [503, 503];
  const send = vi.fn(async () => new Response(null, { status: statuses.shift() ?? 200 }));
  vi.stubGlobal("fetch", send);
  await using t = await testPostern({ resources: [invoice], jobs: [remind] });
  const ada = t.as("Ada");
  const draft = { number: "2026-0042", amount: 12.5, currency: "EUR", due_on: "2026-01-31" };
  const { body } = await ada.post("/invoices", draft);
  await ada.patch(`/invoices/${body.id}`, { state: "sent" });

  await t.enqueue(newJob(remind, { invoiceId: String(body.id) }));
  await t.drain();
  expect(await t.jobs()).toMatchObject([{ state: "scheduled", lastError: "Error: mail: 503" }]);
  expect(await t.rows(invoice)).toMatchObject([{ reminded_at: null }]);
  await t.advance("10m");
  await t.drain();

  expect(await t.jobs()).toMatchObject([{ state: "done", attempt: 3 }]);
  expect(send).toHaveBeenCalledTimes(3);
  expect(await t.rows(invoice)).toMatchObject([{ reminded_at: expect.any(String), state: "sent" }]);
});
