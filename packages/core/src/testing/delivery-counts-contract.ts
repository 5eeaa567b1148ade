import assert from "node:assert/strict";
import type { DeliveryCount } from "../ports/delivery-counts.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";

const minute = Date.UTC(2026, 10, 21, 12);
const count = (changes: Partial<DeliveryCount> = {}): DeliveryCount => ({
  minute,
  provider: "stripe",
  result: "accepted",
  reason: "",
  deliveries: 1,
  ...changes,
});
const { minute: _minute, ...first } = count();
const all = { since: 0, limit: 1000 };

export const deliveryCountsContract: Contract<Storage> = {
  "knows of no delivery at first, and takes none": async ({ deliveryCounts }) => {
    await deliveryCounts.add([]);
    assert.deepEqual(await deliveryCounts.sums(all), []);
  },
  "adds up the minutes of a sender, and says which were the first and the last": async ({ deliveryCounts }) => {
    await deliveryCounts.add([count({ deliveries: 2 }), count({ minute: minute - 60_000, deliveries: 3 })]);
    await deliveryCounts.add([count({ minute: minute + 60_000 }), count({ deliveries: 4 })]);
    assert.deepEqual(await deliveryCounts.sums(all), [
      { ...first, deliveries: 10, firstMinute: minute - 60_000, lastMinute: minute + 60_000 },
    ]);
  },
  "keeps senders, results and reasons apart, most deliveries first": async ({ deliveryCounts }) => {
    await deliveryCounts.add([
      count({ provider: "github", deliveries: 5 }),
      count({ result: "refused", reason: "signature_mismatch", deliveries: 4 }),
      count({ result: "refused", reason: "signature_missing", deliveries: 3 }),
      count({ result: "duplicate", deliveries: 2 }),
      count(),
    ]);
    const sums = await deliveryCounts.sums(all);
    assert.deepEqual(
      sums.map(({ provider, result, reason, deliveries }) => [provider, result, reason, deliveries]),
      [
        ["github", "accepted", "", 5],
        ["stripe", "refused", "signature_mismatch", 4],
        ["stripe", "refused", "signature_missing", 3],
        ["stripe", "duplicate", "", 2],
        ["stripe", "accepted", "", 1],
      ],
    );
    assert.equal((await deliveryCounts.sums({ ...all, limit: 2 })).length, 2);
  },
  "leaves out earlier minutes, and deletes them": async ({ deliveryCounts }) => {
    await deliveryCounts.add([count(), count({ minute: minute - 60_000 }), count({ minute: minute - 120_000 })]);
    assert.equal((await deliveryCounts.sums({ ...all, since: minute }))[0]?.deliveries, 1);
    assert.equal(await deliveryCounts.prune(minute, 1), 1);
    assert.equal(await deliveryCounts.prune(minute, 1000), 1);
    assert.equal(await deliveryCounts.prune(minute, 1000), 0);
    assert.equal((await deliveryCounts.sums(all))[0]?.deliveries, 1);
  },
  "loses no delivery of many that are added at once": async ({ deliveryCounts }) => {
    await Promise.all(Array.from({ length: 20 }, () => deliveryCounts.add([count(), count({ provider: "github" })])));
    assert.deepEqual(
      (await deliveryCounts.sums(all)).map(({ deliveries }) => deliveries),
      [20, 20],
    );
  },
};
