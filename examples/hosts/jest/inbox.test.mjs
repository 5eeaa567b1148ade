import { expect, test } from "@jest/globals";
import { testPostern } from "@postern/testing";
import { on } from "postern";

test("adds up what was paid", async () => {
  const paid = [];
  const addUp = on("stripe", "invoice.paid", async ({ data }) => void paid.push(data.object.amount));
  const t = await testPostern({ handlers: [addUp] });
  const event = { type: "invoice.paid", data: { object: { amount: 5 } } };
  await t.deliver("stripe", event, { times: 2 });
  await t.drain();
  expect(paid).toEqual([5]);
  await t.stop();
});
