// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { testPostern } from "@postern/testing";
import config from "../postern.config.js";

test("a webhook marks an invoice paid, once", async (context) => {
  const t = await testPostern(config);
  context.after(() => t.stop());
  const ada = t.as("Ada");
  const { body } = await ada.post("/invoices", { number: "2026-0001", amount: 12.5 });
  await t.deliver("SENDER", { type: "invoice.paid", data: { number: "2026-0001" } }, { times: 2 });
  await t.drain();
  const paid = await ada.get(`/invoices/${body.id}`);
  assert.equal(paid.body.state, "paid");
  assert.equal((await t.jobs()).length, 1);
});
