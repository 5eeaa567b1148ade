import { testPostern } from "@postern/testing";
import { expect, test } from "vitest";
import { checkInvoice } from "../hooks/check-invoice.ts";
import { tellAccounting } from "../hooks/tell-accounting.ts";
import { invoice } from "../invoices/invoice.ts";

const draft = { number: "1", amount: 100, currency: "EUR", due_on: "2026-12-01" };

test("an invoice is checked before it is written, and the accounting hears when it is paid", async () => {
  await using t = await testPostern({ resources: [invoice], hooks: [checkInvoice, tellAccounting] });
  const ada = t.as("ada@example.com");
  const large = await ada.post("/invoices", { ...draft, amount: 10_001 });
  expect(large).toMatchObject({ status: 400, body: { code: "too_much", errors: [{ pointer: "/amount" }] } });
  const { body } = await ada.post("/invoices", draft);
  const path = `/invoices/${body.id}`;
  await ada.patch(path, { state: "sent" });
  expect(await ada.delete(path)).toMatchObject({ status: 409, body: { code: "invoice_sent" } });
  await ada.patch(path, { state: "paid" });
  await t.drain();
  expect((await t.jobs({ kind: "tell-accounting" })).map(({ state }) => state)).toEqual(["done", "done", "done"]);
  expect(t.logged().filter(({ message }) => message === "an invoice is paid")).toHaveLength(1);
});
