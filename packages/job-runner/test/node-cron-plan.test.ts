import { cronPlanContract } from "@postern/core/testing";
import { nodeCronPlan } from "@postern/job-runner";
import { describe, expect, test } from "vitest";

describe("nodeCronPlan keeps the contract of CronPlan", () => {
  for (const [promise, keep] of Object.entries(cronPlanContract)) test(promise, () => keep(nodeCronPlan()));
});

const at = (text: string): number => Date.parse(text);

describe("nodeCronPlan", () => {
  test("goes by the time zone, over a change of the clocks, too", () => {
    const berlin = { cron: "30 6 * * *", timeZone: "Europe/Berlin" };
    const slots = nodeCronPlan().between(berlin, at("2026-03-28T00:00:00Z"), at("2026-03-30T00:00:00Z"));
    expect(slots).toEqual([at("2026-03-28T05:30:00Z"), at("2026-03-29T04:30:00Z")]);
  });

  test("leaves out a local time that is skipped, and has one that is repeated twice", () => {
    const berlin = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };
    const plan = nodeCronPlan();
    expect(plan.between(berlin, at("2026-03-28T12:00:00Z"), at("2026-03-29T12:00:00Z"))).toEqual([]);
    expect(plan.between(berlin, at("2026-10-24T12:00:00Z"), at("2026-10-25T12:00:00Z"))).toEqual([
      at("2026-10-25T00:30:00Z"),
      at("2026-10-25T01:30:00Z"),
    ]);
  });

  test("keeps no process alive", () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = timers();
    nodeCronPlan().check({ cron: "* * * * *", timeZone: "UTC" });
    expect(timers()).toBe(before);
  });
});
