import { memoryPorts } from "@postern/core/memory";
import { expect, test, vi } from "vitest";
import { createActivityCounter } from "../src/counts/activity-counter.ts";
import type { CountBucket } from "../src/ports/count-store.ts";

test("while the store is away, counts of the first 5,000 minutes and senders are kept", async () => {
  const ports = memoryPorts();
  const counter = createActivityCounter(ports);
  const add = vi.spyOn(ports.storage.counts, "add").mockRejectedValue(new Error("away"));
  const senders = 3_000;
  const deliverFromEach = () => {
    for (let n = 0; n < senders; n += 1) counter.delivered(`sender-${n}`, "accepted", 1);
  };
  deliverFromEach();
  await ports.clock.advance(60_000);
  deliverFromEach();
  expect(add).toHaveBeenCalled();
  const stored: CountBucket[] = [];
  add.mockImplementation(async (buckets) => void stored.push(...buckets.filter(({ step }) => step === "minute")));
  await counter.stop();
  expect(stored).toHaveLength(5_000);
  // All senders together have a bucket in each minute.
  const together = stored.filter(({ provider }) => provider === "*");
  expect(together.map(({ received }) => received)).toEqual([senders, senders]);
});
