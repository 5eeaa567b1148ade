import { testPostern } from "@postern/testing";
import { expect, test } from "vitest";
import { markPaid } from "../handlers/mark-paid.ts";
import { invoice } from "../invoices/invoice.ts";

test("a webhook marks my invoice paid, once", async () => {
  await using t = await testPostern({ resources: [invoice], handlers: [markPaid] });
  const ada = t.as("Ada");
  const draft = { number: "2026-0042", amount: 12.5, currency: "EUR", due_on: "2026-11-30" };
  const { body } = await ada.post("/invoices", draft);
  await ada.patch(`/invoices/${body.id}`, { state: "sent" });

  const data = { number: "2026-0042", amount: 12.5 };
  await t.deliver("demo", { type: "invoice.paid", data }, { times: 2 });
  await t.drain();

  const paid = await ada.get(`/invoices/${body.id}`);
  expect(paid.body).toMatchObject({ state: "paid", paid_at: "2026-01-01T00:00:00.000Z" });
  expect(await t.jobs()).toMatchObject([{ state: "done", attempt: 1 }]);
});
