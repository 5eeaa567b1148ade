import { testPostern } from "@postern/testing";
import { on } from "postern";
import { expect, test } from "vitest";

const greet = on("stripe", "customer.created", async ({ type }, { log }) => log("info", "hello", { type }));

test("a new customer is greeted", async () => {
  await using t = await testPostern({ handlers: [greet] });
  await t.deliver("stripe", { type: "customer.created", data: { object: { id: "cus_1" } } });
  await t.drain();
  expect(await t.jobs()).toMatchObject([{ state: "done" }]);
});
