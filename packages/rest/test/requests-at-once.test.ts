import { virtualClock } from "@postern/core/memory";
import { rejectsWith } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createRequestsAtOnce, unboundedAtOnce } from "../src/limits/requests-at-once.ts";

test("a user's requests run a few at a time, others do not wait for them, and too many are refused", async () => {
  const line = createRequestsAtOnce({ running: 2, waiting: 2 }, virtualClock());
  const begun: string[] = [];
  const take = async (name: string) => {
    const share = await line.take(name.slice(0, -1));
    begun.push(name);
    return share;
  };
  const [first] = ["ada1", "ada2", "ada3", "ada4"].map(take);
  const refused = await rejectsWith("rate_limited", () => take("ada5"));
  expect(refused.headers["retry-after"]).toBe("1");
  expect(refused.message).toContain("4 of your requests are being answered already");
  await take("bob1");
  expect(begun).toEqual(["ada1", "ada2", "bob1"]);
  (await first)?.release();
  await take("cyd1");
  expect(begun).toEqual(["ada1", "ada2", "bob1", "ada3", "cyd1"]);
});

test("load tests have no bound", async () => {
  const line = createRequestsAtOnce(unboundedAtOnce, virtualClock());
  for (let n = 0; n < 1_000; n += 1) await line.take("ada");
  expect(line.heldBy("ada")).toBe(1_000);
});
