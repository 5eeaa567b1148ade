import { virtualClock } from "@postern/core/memory";
import { rejectsWith } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createRequestsAtOnce } from "../src/limits/requests-at-once.ts";

test("a user's requests run a few at a time, others do not wait for them, and too many are refused", async () => {
  const line = createRequestsAtOnce(2, virtualClock());
  const begun: string[] = [];
  const take = async (name: string) => {
    const share = await line.take(name.slice(0, 3));
    begun.push(name);
    return share;
  };
  const [first] = Array.from({ length: 32 }, (_, n) => take(`ada ${n + 1}`));
  const refused = await rejectsWith("rate_limited", () => take("ada 33"));
  expect(refused.headers["retry-after"]).toBe("1");
  expect(refused.message).toContain("32 of your requests are being answered already");
  await take("bob 1");
  expect(begun).toEqual(["ada 1", "ada 2", "bob 1"]);
  (await first)?.release();
  await take("cyd 1");
  expect(begun).toEqual(["ada 1", "ada 2", "bob 1", "ada 3", "cyd 1"]);
});

test("load tests have no bound", async () => {
  const line = createRequestsAtOnce(Number.POSITIVE_INFINITY, virtualClock());
  for (let n = 0; n < 1_000; n += 1) await line.take("ada");
  expect(line.heldBy("ada")).toBe(1_000);
});
