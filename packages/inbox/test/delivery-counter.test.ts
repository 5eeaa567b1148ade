import { AppError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import type { DeliveryCount, DeliveryCounts } from "@postern/core/ports";
import { expect, test } from "vitest";
import { createDeliveryCounter } from "../src/delivery-counter.ts";

const all = { since: 0, limit: 100 };

/** A counter whose store notes each batch, and is away while `fails` says so. */
const scene = () => {
  const ports = memoryPorts();
  const batches: (readonly DeliveryCount[])[] = [];
  const state = { away: false };
  const deliveryCounts: DeliveryCounts = {
    ...ports.storage.deliveryCounts,
    add: async (counts) => {
      if (state.away) throw new AppError("unavailable");
      batches.push(counts);
      await ports.storage.deliveryCounts.add(counts);
    },
  };
  const counter = createDeliveryCounter({ ...ports, storage: { ...ports.storage, deliveryCounts } });
  return { ports, counter, batches, state };
};

test("the deliveries of ten seconds are one write, with a row for each sender, result and reason", async () => {
  const { ports, counter, batches } = scene();
  for (let n = 0; n < 1_000; n += 1) counter.note("stripe", "accepted");
  counter.note("stripe", "refused", 1, "signature_mismatch");
  counter.note("github", "accepted", 3);
  await ports.clock.advance(9_999);
  expect(batches).toEqual([]);
  await ports.clock.advance(1);
  const minute = ports.clock.now() - 10_000;
  expect(batches).toEqual([
    [
      { minute, provider: "stripe", result: "accepted", reason: "", deliveries: 1_000 },
      { minute, provider: "stripe", result: "refused", reason: "signature_mismatch", deliveries: 1 },
      { minute, provider: "github", result: "accepted", reason: "", deliveries: 3 },
    ],
  ]);
  await ports.clock.advance(3_600_000);
  expect(batches).toHaveLength(1);
  expect(ports.clock.pendingTimers()).toBe(0);
});

test("what is counted on both sides of a minute belongs to two minutes", async () => {
  const { ports, counter, batches } = scene();
  await ports.clock.advance(59_000);
  counter.note("stripe", "accepted");
  await ports.clock.advance(1_000);
  counter.note("stripe", "accepted");
  await counter.flush();
  expect(batches[0]?.map(({ minute, deliveries }) => [ports.clock.now() - minute, deliveries])).toEqual([
    [60_000, 1],
    [0, 1],
  ]);
});

test("counts are kept while the store is away, and stored once it is back", async () => {
  const { ports, counter, state } = scene();
  state.away = true;
  counter.note("stripe", "accepted", 4);
  await ports.clock.advance(10_000);
  expect(await ports.storage.deliveryCounts.sums(all)).toEqual([]);
  counter.note("stripe", "accepted", 5);
  state.away = false;
  await ports.clock.advance(10_000);
  expect(await ports.storage.deliveryCounts.sums(all)).toMatchObject([{ provider: "stripe", deliveries: 9 }]);
});

test("what came together is stored by at most 100 counts at once, and each of them once", async () => {
  const { ports, counter, batches, state } = scene();
  for (let n = 0; n < 250; n += 1) counter.note(`sender-${n}`, "accepted");
  const first = counter.flush();
  // The first batch is under way.
  state.away = true;
  await first;
  state.away = false;
  await ports.clock.advance(10_000);
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
  const sums = await ports.storage.deliveryCounts.sums({ since: 0, limit: 1_000 });
  expect(sums.map(({ deliveries }) => deliveries)).toEqual(Array.from({ length: 250 }, () => 1));
});
