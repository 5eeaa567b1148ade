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
  "knows the last day of the month, and the names of usual times": async (plan) => {
    const next = (cron: string, after: string) => shown([plan.next(utc(cron), at(after)) ?? Number.NaN])[0];
    assert.equal(next("0 6 L * *", "2027-02-01T00:00:00Z"), "2027-02-28T06:00");
    assert.equal(next("0 6 L 2 *", "2027-03-01T00:00:00Z"), "2028-02-29T06:00");
    assert.equal(next("0 6 15,l * *", "2027-04-15T06:00:00Z"), "2027-04-30T06:00");
    assert.equal(next("@hourly", "2027-04-15T06:00:00Z"), "2027-04-15T07:00");
    assert.equal(next("@daily", "2027-04-15T06:00:00Z"), "2027-04-16T00:00");
    assert.equal(next("@weekly", "2027-04-15T06:00:00Z"), "2027-04-18T00:00");
    assert.equal(next("@monthly", "2027-04-15T06:00:00Z"), "2027-05-01T00:00");
    assert.equal(next(" @yearly ", "2027-04-15T06:00:00Z"), "2028-01-01T00:00");
    plan.check(utc("@midnight"));
    plan.check(utc("@annually"));
  },
  "moves no time where clocks do not change": async (plan) => {
    assert.deepEqual(plan.moved(utc("30 2 * * *"), at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z")), []);
  },
  "looks back a week at the most": async (plan) => {
    const slots = plan.between(utc("0 0 * * *"), 0, at("2026-03-08T00:00:00Z"));
    assert.ok(slots.length >= 7 && slots.length <= 8);
    assert.equal(slots.at(-1), at("2026-03-08T00:00:00Z"));
  },
  "finds the next minute that matches, however far away it is": async (plan) => {
    const next = (cron: string, after: string) => shown([plan.next(utc(cron), at(after)) ?? Number.NaN])[0];
    assert.equal(next("* * * * *", "2026-03-01T06:00:00Z"), "2026-03-01T06:01");
    assert.equal(next("30 9 * * *", "2026-03-01T09:29:59.999Z"), "2026-03-01T09:30");
    assert.equal(next("30 9 * * *", "2026-03-01T09:30:00Z"), "2026-03-02T09:30");
    assert.equal(next("15 0 1 1 *", "2026-01-01T00:15:00Z"), "2027-01-01T00:15");
    assert.equal(next("59 23 29 2 *", "2026-03-01T00:00:00Z"), "2028-02-29T23:59");
    assert.equal(next("0 0 1 * *", "2026-12-31T23:59:00Z"), "2027-01-01T00:00");
    assert.equal(plan.next(utc("0 0 29 2 1"), at("2026-03-01T00:00:00Z")), undefined);
  },
  "wants both of a day of the month and a day of the week": async (plan) => {
    const year = [at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z")] as const;
    const fridays: number[] = [];
    for (let slot = plan.next(utc("0 9 13 * 5"), year[0]); slot !== undefined && slot < year[1]; ) {
      fridays.push(slot);
      slot = plan.next(utc("0 9 13 * 5"), slot);
    }
    assert.deepEqual(shown(fridays), ["2026-02-13T09:00", "2026-03-13T09:00", "2026-11-13T09:00"]);
  },
  "refuses expressions that are not cron, and time zones that do not exist": async (plan) => {
    const noCron = [
      "",
      "* * * *",
      "* * * * * *",
      "60 * * * *",
      "x * * * *",
      "* * * * * * *",
      "*/0 * * * *",
      "*/100 * * * *",
    ];
    const wider = [
      "5-1 * * * *",
      "* * L-2 * *",
      "* L * * *",
      "* * * * 5L",
      "* * ? * *",
      "* * 15W * *",
      "* * * * 1#2",
      "* * * january *",
      "@reboot",
      "@daily 5",
      "5/10 * * * *",
    ];
    for (const cron of [
      ...noCron,
      ...wider,
      "* * 0 * *",
      "* * * 13 *",
      "1,,2 * * * *",
      "1.5 * * * *",
      "* * * * fryday",
    ]) {
      assert.throws(() => plan.check(utc(cron)), TypeError, cron);
    }
    assert.throws(() => plan.check({ cron: "* * * * *", timeZone: "Middle/Earth" }), TypeError);
    plan.check(utc("*/5 0-6 1,15 * 1-5"));
  },
};
