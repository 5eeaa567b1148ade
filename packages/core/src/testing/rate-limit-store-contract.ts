import assert from "node:assert/strict";
import type { RateLimitStore } from "../ports/rate-limit-store.ts";
import type { Contract } from "./contract.ts";

const now = 1_767_225_600_000;
const five = { limit: 5, windowMs: 60_000, now };

/** How many of `uses` simultaneous uses are allowed. */
const allowedOf = async (store: RateLimitStore, key: string, uses: number, at = now): Promise<number> => {
  const decisions = await Promise.all(Array.from({ length: uses }, () => store.take({ ...five, key, now: at })));
  return decisions.filter(({ allowed }) => allowed).length;
};

/** Tries to take a use of each key. Returns what is left of each, up to the first refusal. */
const leftOfEach = async (
  store: RateLimitStore,
  keys: readonly string[],
  at = now,
): Promise<(number | "refused")[]> => {
  const decisions = await store.takeEach(keys.map((key) => ({ ...five, key, now: at })));
  return decisions.map(({ allowed, remaining }) => (allowed ? remaining : "refused"));
};

export const rateLimitStoreContract: Contract<RateLimitStore> = {
  "allows the limit at once and counts down": async (store) => {
    for (const remaining of [4, 3, 2, 1, 0]) {
      const decision = await store.take({ ...five, key: "count" });
      const resetMs = (5 - remaining) * 12_000;
      assert.deepEqual(decision, { allowed: true, remaining, resetMs, retryAfterMs: 0 });
    }
  },
  "refuses the next one and says how long to wait": async (store) => {
    await allowedOf(store, "full", 5);
    const refused = await store.take({ ...five, key: "full" });
    assert.deepEqual(refused, { allowed: false, remaining: 0, resetMs: 60_000, retryAfterMs: 12_000 });
    assert.equal((await store.take({ ...five, key: "full", now: now + 11_999 })).retryAfterMs, 1);
  },
  "allows one more after that wait, and only one": async (store) => {
    await allowedOf(store, "wait", 5);
    assert.equal(await allowedOf(store, "wait", 3, now + 12_000), 1);
  },
  "does not punish refused tries": async (store) => {
    assert.equal(await allowedOf(store, "eager", 50), 5);
    assert.equal(await allowedOf(store, "eager", 1, now + 12_000), 1);
  },
  "allows the full limit again after an unused window": async (store) => {
    await allowedOf(store, "again", 5);
    assert.equal(await allowedOf(store, "again", 9, now + 60_000), 5);
    assert.equal(await allowedOf(store, "again", 9, now + 86_400_000), 5);
  },
  "takes a use back, and only that one": async (store) => {
    await allowedOf(store, "back", 5);
    await store.giveBack({ ...five, key: "back" });
    assert.equal(await allowedOf(store, "back", 3), 1);
    await Promise.all([1, 2, 3].map(() => store.giveBack({ ...five, key: "back" })));
    assert.equal(await allowedOf(store, "back", 5), 3);
    await store.giveBack({ ...five, key: "never used" });
    assert.equal(await allowedOf(store, "never used", 9), 5);
  },
  "forgets keys that limit nobody any more, and no others": async (store) => {
    await allowedOf(store, "long ago", 5, now - 60_001);
    assert.equal(await store.forgetFree(now), 1);
    await allowedOf(store, "under way", 5);
    assert.equal(await store.forgetFree(now), 0);
    assert.equal(await allowedOf(store, "under way", 3), 0);
    assert.equal(await allowedOf(store, "long ago", 9), 5);
  },
  "takes a use of each key, in the order in which they are named": async (store) => {
    await allowedOf(store, "each b", 2);
    const decisions = await store.takeEach([
      { ...five, key: "each b" },
      { ...five, key: "each a", limit: 10 },
    ]);
    assert.deepEqual(decisions, [
      { allowed: true, remaining: 2, resetMs: 36_000, retryAfterMs: 0 },
      { allowed: true, remaining: 9, resetMs: 6_000, retryAfterMs: 0 },
    ]);
    assert.equal(await allowedOf(store, "each b", 9), 2);
    assert.deepEqual(await leftOfEach(store, []), []);
  },
  "takes no use of any key if one has none left": async (store) => {
    await allowedOf(store, "none full", 5);
    const keys = ["none z", "none full", "none never seen"];
    for (let times = 0; times < 9; times += 1) assert.deepEqual(await leftOfEach(store, keys), [4, "refused"]);
    const [, refused] = await store.takeEach(keys.map((key) => ({ ...five, key })));
    assert.deepEqual(refused, { allowed: false, remaining: 0, resetMs: 60_000, retryAfterMs: 12_000 });
    assert.equal(await allowedOf(store, "none z", 9), 5);
    assert.equal(await allowedOf(store, "none never seen", 9), 5);
    assert.deepEqual(await leftOfEach(store, ["none full"], now + 12_000), [0]);
  },
  "gives racing callers all of their keys or none, in whatever order they name them": async (store) => {
    await allowedOf(store, "race b", 1);
    const orders = [
      ["race a", "race b", "race c"],
      ["race c", "race b", "race a"],
    ];
    const tries = Array.from({ length: 20 }, (_, n) => leftOfEach(store, orders[n % 2] ?? []));
    const taken = (await Promise.all(tries)).filter((left) => !left.includes("refused"));
    assert.equal(taken.length, 4);
    for (const [key, left] of [
      ["race a", 1],
      ["race b", 0],
      ["race c", 1],
    ] as const) {
      assert.equal(await allowedOf(store, key, 9), left, key);
    }
  },
  "takes a use of each key back": async (store) => {
    await allowedOf(store, "back a", 5);
    await allowedOf(store, "back b", 3);
    await store.giveBackEach(["back a", "back b", "back never used"].map((key) => ({ ...five, key })));
    assert.equal(await allowedOf(store, "back a", 9), 1);
    assert.equal(await allowedOf(store, "back b", 9), 3);
    assert.equal(await allowedOf(store, "back never used", 9), 5);
    await store.giveBackEach([]);
  },
  "refuses to take two uses of one key at once": async (store) => {
    await assert.rejects(leftOfEach(store, ["twice", "once", "twice"]), TypeError);
    assert.equal(await allowedOf(store, "twice", 9), 5);
  },
  "never gives the last use to two racing callers": async (store) => {
    assert.equal(await allowedOf(store, "race", 25), 5);
  },
  "keeps keys apart, byte by byte": async (store) => {
    const long = "k".repeat(190);
    for (const key of ["a", "A", "a ", " a", "á", "a\u0301", `${long}a`, `${long}b`]) {
      assert.equal(await allowedOf(store, key, 6), 5, `for ${JSON.stringify(key)}`);
    }
  },
  "makes nobody wait longer than a window when the clock was set back": async (store) => {
    await allowedOf(store, "set back", 5);
    const { allowed, retryAfterMs } = await store.take({ ...five, key: "set back", now: now - 86_400_000 });
    assert.equal(allowed, false);
    assert.ok(retryAfterMs <= 60_000, `${retryAfterMs} ms`);
    assert.equal(await allowedOf(store, "set back", 1, now - 86_400_000 + 60_000), 1);

    await allowedOf(store, "set back too", 5);
    assert.deepEqual(await leftOfEach(store, ["fresh", "set back too"], now - 86_400_000), [4, "refused"]);
    assert.equal(await allowedOf(store, "set back too", 1, now - 86_400_000 + 60_000), 1);
  },
};
