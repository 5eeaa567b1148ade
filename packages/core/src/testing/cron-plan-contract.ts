import assert from "node:assert/strict";
import type { CronPlan } from "../ports/cron-plan.ts";
import type { Contract } from "./contract.ts";

const at = (text: string): number => Date.parse(text);
const utc = (cron: string) => ({ cron, timeZone: "UTC" });
const shown = (slots: readonly number[]): readonly string[] =>
  slots.map((slot) => new Date(slot).toISOString().slice(0, 16));

/** What every `CronPlan` promises. */
export const cronPlanContract: Contract<CronPlan> = {
  "finds the minutes that match, after the first time and up to the second": async (plan) => {
    const slots = plan.between(utc("*/20 6 * * *"), at("2026-03-01T06:00:00Z"), at("2026-03-02T06:00:00Z"));
    assert.deepEqual(shown(slots), ["2026-03-01T06:20", "2026-03-01T06:40", "2026-03-02T06:00"]);
    assert.deepEqual(plan.between(utc("0 6 * * *"), at("2026-03-01T05:59:59.999Z"), at("2026-03-01T06:00:00Z")), [
      at("2026-03-01T06:00:00Z"),
    ]);
    assert.deepEqual(plan.between(utc("0 6 * * *"), at("2026-03-01T06:00:00Z"), at("2026-03-01T06:00:59Z")), []);
  },
  "knows days of the month and of the week, ranges and lists": async (plan) => {
    const from = at("2026-03-01T00:00:00Z");
    const to = at("2026-03-08T00:00:00Z");
    assert.deepEqual(shown(plan.between(utc("30 9 * * 1-2"), from, to)), ["2026-03-02T09:30", "2026-03-03T09:30"]);
    assert.deepEqual(shown(plan.between(utc("0 0 3,5 * *"), from, to)), ["2026-03-03T00:00", "2026-03-05T00:00"]);
    assert.deepEqual(shown(plan.between(utc("0 12 * 4 *"), from, to)), []);
    assert.deepEqual(shown(plan.between(utc("0 12 * * 0"), from, to)), ["2026-03-01T12:00"]);
  },
  "looks back a week at the most": async (plan) => {
    const slots = plan.between(utc("0 0 * * *"), 0, at("2026-03-08T00:00:00Z"));
    assert.ok(slots.length >= 7 && slots.length <= 8);
    assert.equal(slots.at(-1), at("2026-03-08T00:00:00Z"));
  },
  "refuses what is no expression, and what is no time zone": async (plan) => {
    for (const cron of ["", "* * * *", "* * * * * *", "60 * * * *", "x * * * *", "* * * * * * *"]) {
      assert.throws(() => plan.check(utc(cron)), TypeError, cron);
    }
    assert.throws(() => plan.check({ cron: "* * * * *", timeZone: "Middle/Earth" }), TypeError);
    plan.check(utc("*/5 0-6 1,15 * 1-5"));
  },
};
