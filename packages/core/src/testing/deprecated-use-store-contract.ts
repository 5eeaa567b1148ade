import assert from "node:assert/strict";
import type { DeprecatedUse, DeprecatedUseStore } from "../ports/deprecated-use-store.ts";
import type { Contract } from "./contract.ts";

const at = Date.UTC(2026, 10, 21, 12);
const use = (changes: Partial<DeprecatedUse> = {}): DeprecatedUse => ({
  deprecation: "old-field",
  client: "user:1",
  agent: "curl/8.0",
  operation: "users.read",
  kind: "asked",
  day: "2026-11-21",
  calls: 1,
  firstAt: at,
  lastAt: at,
  ...changes,
});
const { day: _day, ...sum } = use();
const all = { since: "2026-01-01", limit: 1000 };

export const deprecatedUseStoreContract: Contract<DeprecatedUseStore> = {
  "keeps since when each is watched, and counts no use for it": async (store) => {
    assert.deepEqual([...(await store.watch(["old-field"], at))], [["old-field", at]]);
    const later = await store.watch(["old-field", "other-field"], at + 5);
    assert.deepEqual([later.get("old-field"), later.get("other-field")], [at, at + 5]);
    await store.forget("2100-01-01");
    const noted = await store.watch([], at + 9);
    assert.deepEqual([noted.size, noted.get("old-field"), noted.get("other-field")], [2, at, at + 5]);
    assert.deepEqual(await store.sums(all), []);
    await store.add([use()]);
    assert.equal((await store.sums(all)).length, 1);
  },
  "knows of no use at first": async (store) => {
    assert.deepEqual(await store.sums(all), []);
  },
  "adds up the days of a client, and keeps the first and the last time": async (store) => {
    await store.add([use({ calls: 2 }), use({ day: "2026-11-20", firstAt: at - 9, lastAt: at - 5, calls: 3 })]);
    await store.add([use({ firstAt: at + 1, lastAt: at + 7, calls: 4 })]);
    assert.deepEqual(await store.sums(all), [{ ...sum, calls: 9, firstAt: at - 9, lastAt: at + 7 }]);
  },
  "adds what is there twice in one batch": async (store) => {
    await store.add([use(), use()]);
    assert.equal((await store.sums(all))[0]?.calls, 2);
  },
  "keeps clients, agents and deprecations apart, byte by byte, most calls first": async (store) => {
    await store.add([
      use({ client: "user:2", calls: 5 }),
      use({ client: "User:2", calls: 4 }),
      use({ agent: "", calls: 3 }),
      use({ deprecation: "other-field", calls: 2 }),
      use(),
    ]);
    assert.deepEqual(
      (await store.sums(all)).map(({ calls }) => calls),
      [5, 4, 3, 2, 1],
    );
  },
  "keeps operations apart, and what was asked for from what was merely sent": async (store) => {
    await store.add([
      use({ kind: "sent", calls: 3 }),
      use({ operation: "users.list", calls: 2 }),
      use({ operation: "", calls: 1 }),
    ]);
    assert.deepEqual(
      (await store.sums(all)).map(({ operation, kind, calls }) => [operation, kind, calls]),
      [
        ["users.read", "sent", 3],
        ["users.list", "asked", 2],
        ["", "asked", 1],
      ],
    );
  },
  "narrows by day and by deprecation, and gives no more than asked for": async (store) => {
    await store.add([use(), use({ day: "2026-11-19", calls: 7 }), use({ deprecation: "other-field" })]);
    assert.deepEqual(await store.sums({ ...all, since: "2026-11-20", deprecation: "old-field" }), [sum]);
    assert.equal((await store.sums({ ...all, limit: 1 })).length, 1);
  },
  "loses no use of many that are added at once": async (store) => {
    await Promise.all(Array.from({ length: 20 }, () => store.add([use(), use({ client: "user:2" })])));
    assert.deepEqual(
      (await store.sums(all)).map(({ calls }) => calls),
      [20, 20],
    );
  },
  "forgets the days before one": async (store) => {
    await store.add([use(), use({ day: "2026-11-20" })]);
    await store.forget("2026-11-21");
    assert.deepEqual(await store.sums(all), [sum]);
  },
  "forgets one client": async (store) => {
    await store.add([use(), use({ client: "user:gone" }), use({ client: "user:gone", deprecation: "other" })]);
    await store.forgetClient("user:gone");
    await store.forgetClient("user:never");
    assert.deepEqual(await store.sums(all), [sum]);
  },
  "takes a great many at once, and none": async (store) => {
    await store.add([]);
    await store.add(Array.from({ length: 1200 }, (_, index) => use({ client: `user:${index}` })));
    assert.equal((await store.sums(all)).length, 1000);
  },
};
