import { testPostern } from "@postern/testing";
import { afterEach, expect, test, vi } from "vitest";
import { bookPayment } from "../handlers/book-payment.ts";

afterEach(() => vi.unstubAllGlobals());

test("a closed bookkeeping service is asked again in a minute", async () => {
  const statuses = [423, 200];
  vi.stubGlobal("fetch", async () => new Response(null, { status: statuses.shift() ?? 500 }));
  await using t = await testPostern({ handlers: [bookPayment] });
  await t.deliver("demo", { type: "invoice.paid", data: { number: "2026-0042" } });
  await t.drain();
  expect(await t.jobs()).toMatchObject([{ state: "scheduled", attempt: 0 }]);
  await t.advance("60s");
  expect(await t.jobs()).toMatchObject([{ state: "done", attempt: 1 }]);
});

test("a payment with a forged signature is refused, and books nothing", async () => {
  await using t = await testPostern({ handlers: [bookPayment] });
  const forged = await t.deliver("demo", { type: "invoice.paid", data: {} }, { tamper: true });
  expect(forged).toMatchObject({ status: 401, body: { code: "invalid_signature" } });
  expect(await t.events()).toEqual([]);
});
