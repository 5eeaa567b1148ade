import assert from "node:assert/strict";
import type { StoredPlan } from "../ports/plan-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { idNumber } from "./rows.ts";

const now = 1_800_000_000_000;

const planNumber = (n: number, changes: Partial<StoredPlan> = {}): StoredPlan => ({
  id: idNumber(n),
  action: "replay",
  filter: { state: "dead" },
  text: undefined,
  force: false,
  perSecond: 50,
  reason: undefined,
  state: "planned",
  runs: 0,
  createdAt: now + n,
  startedAt: undefined,
  endedAt: undefined,
  preview: { looked: 0, isComplete: true, matched: 0, done: 0, handlers: [], waiting: 0, skipped: [] },
  progress: { after: 0, looked: 0, done: 0, jobs: 0, failed: 0, skipped: [], nextAt: undefined },
  ...changes,
});

/** A plan in which nothing is empty and every text is as long as it may be. */
const large = planNumber(7, {
  action: "discard",
  filter: {
    state: "dead",
    provider: "p".repeat(64),
    type: "ü\n".repeat(64),
    cause: "abcdefghijkl",
    since: 1,
    until: now,
  },
  text: "☃".repeat(200),
  force: true,
  perSecond: 0.01,
  reason: "☃".repeat(500),
  state: "done",
  runs: 12,
  startedAt: now + 8,
  endedAt: now + 9,
  preview: {
    looked: 10_000,
    isComplete: false,
    matched: 9_000,
    done: 8_000,
    handlers: Array.from({ length: 100 }, (_, n) => ({ handler: `${n}`.padEnd(128, "h"), jobs: n })),
    waiting: 3,
    skipped: Array.from({ length: 20 }, (_, n) => ({ reason: `${n}`.padEnd(200, "☃"), events: n })),
  },
  progress: {
    after: 999_999_999_999_999,
    looked: 5,
    done: 4,
    jobs: 3,
    failed: 2,
    skipped: [{ reason: "it's gone", events: 1 }],
    nextAt: now + 0.25,
  },
});

/** What every `PlanStore` promises, on a fresh storage. */
export const planStoreContract: Contract<Storage> = {
  "gives back a plan as it was saved, and as it was saved again": async ({ plans }) => {
    assert.equal(await plans.find(idNumber(1)), undefined);
    for (const plan of [planNumber(1), large]) {
      await plans.save(plan);
      assert.deepEqual(await plans.find(plan.id), plan);
      const changed: StoredPlan = {
        ...plan,
        state: "running",
        startedAt: now + 20,
        endedAt: undefined,
        progress: { ...plan.progress, after: 17, nextAt: undefined },
      };
      await plans.save(changed);
      assert.deepEqual(await plans.find(plan.id), changed);
    }
  },
  "lists newest first or oldest first, by state, page by page, and counts": async ({ plans }) => {
    for (const n of [3, 1, 2, 4]) await plans.save(planNumber(n, n === 2 ? { state: "running" } : {}));
    const ids = async (query: Parameters<typeof plans.list>[0]) => (await plans.list(query)).map(({ id }) => id);
    assert.deepEqual(await ids({ limit: 3 }), [4, 3, 2].map(idNumber));
    assert.deepEqual(await ids({ limit: 3, before: idNumber(2) }), [idNumber(1)]);
    assert.deepEqual(await ids({ limit: 2, after: idNumber(1) }), [2, 3].map(idNumber));
    assert.deepEqual(await ids({ limit: 2, after: "" }), [1, 2].map(idNumber));
    assert.deepEqual(await ids({ state: "running", limit: 9 }), [idNumber(2)]);
    assert.deepEqual([await plans.count({}, 9), await plans.count({}, 3)], [4, 3]);
    assert.equal(await plans.count({ state: "planned" }, 9), 3);
  },
  "holds a plan, so that of steps at once none undoes another": async (storage) => {
    await storage.plans.save(planNumber(1));
    const step = () =>
      storage.transaction(async ({ plans }) => {
        const held = await plans.hold(idNumber(1));
        assert.ok(held);
        await plans.save({ ...held, progress: { ...held.progress, done: held.progress.done + 1 } });
      });
    await Promise.all(Array.from({ length: 6 }, step));
    assert.equal((await storage.plans.find(idNumber(1)))?.progress.done, 6);
    assert.equal(await storage.transaction(({ plans }) => plans.hold(idNumber(2))), undefined);
  },
  "leaves no trace of a transaction that fails": async (storage) => {
    const failing = storage.transaction(async ({ plans }) => {
      await plans.save(planNumber(1));
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.equal(await storage.plans.find(idNumber(1)), undefined);
  },
  "deletes old plans that have come to an end or were never run": async ({ plans }) => {
    const states = ["planned", "running", "paused", "done", "cancelled"] as const;
    for (const [n, state] of states.entries()) await plans.save(planNumber(n + 1, { state }));
    await plans.save(planNumber(9, { state: "done" }));
    assert.equal(await plans.prune(now + 9, 2), 2);
    assert.equal(await plans.prune(now + 9, 2), 1);
    assert.equal(await plans.prune(now + 9, 2), 0);
    assert.deepEqual(
      (await plans.list({ limit: 9 })).map(({ state }) => state),
      ["done", "paused", "running"],
    );
  },
};
