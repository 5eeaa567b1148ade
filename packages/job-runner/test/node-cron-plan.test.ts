import { createApp } from "@postern/app";
import { type CronPlan, schedule } from "@postern/core";
import { memoryPorts, virtualClock } from "@postern/core/memory";
import { cronPlanContract } from "@postern/core/testing";
import { nodeCronPlan } from "@postern/job-runner";
import { createTask } from "node-cron";
import { describe, expect, test } from "vitest";

describe("nodeCronPlan keeps the contract of CronPlan", () => {
  for (const [promise, keep] of Object.entries(cronPlanContract)) test(promise, () => keep(nodeCronPlan()));
});

const at = (text: string): number => Date.parse(text);

describe("nodeCronPlan", () => {
  test("follows the time zone, and changes of its clocks", () => {
    const berlin = { cron: "30 6 * * *", timeZone: "Europe/Berlin" };
    const slots = nodeCronPlan().between(berlin, at("2026-03-28T00:00:00Z"), at("2026-03-30T00:00:00Z"));
    expect(slots).toEqual([at("2026-03-28T05:30:00Z"), at("2026-03-29T04:30:00Z")]);
  });

  test("has no run at a local time that is skipped, and two at one that is repeated", () => {
    const berlin = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };
    const plan = nodeCronPlan();
    expect(plan.between(berlin, at("2026-03-28T12:00:00Z"), at("2026-03-29T12:00:00Z"))).toEqual([]);
    expect(plan.between(berlin, at("2026-10-24T12:00:00Z"), at("2026-10-25T12:00:00Z"))).toEqual([
      at("2026-10-25T00:30:00Z"),
      at("2026-10-25T01:30:00Z"),
    ]);
  });

  test("finds the same times as a check of every minute, across changes of the clocks", () => {
    const plan = nodeCronPlan();
    const cases: readonly (readonly [string, string])[] = [
      ["30 2 * * *", "Europe/Berlin"],
      ["*/20 0-3 * mar,oct sun", "Europe/Berlin"],
      ["15 0 1 * *", "Asia/Kathmandu"],
      ["0 0 * * mon-fri", "America/St_Johns"],
      ["59 23 31 * *", "Australia/Lord_Howe"],
      ["0 0 * * *", "America/Santiago"],
    ];
    for (const [cron, timeZone] of cases) {
      const task = createTask(cron, () => undefined, { timezone: timeZone });
      for (const start of [
        "2026-03-26T11:07:00Z",
        "2026-04-02T01:00:00Z",
        "2026-09-04T00:00:00Z",
        "2026-10-23T22:59:59Z",
      ]) {
        const [from, until] = [at(start), at(start) + 5 * 24 * 3600_000];
        const expected: number[] = [];
        for (let slot = Math.floor(from / 60_000 + 1) * 60_000; slot <= until; slot += 60_000) {
          if (task.match(new Date(slot))) expected.push(slot);
        }
        expect(plan.between({ cron, timeZone }, from, until), `${cron} ${timeZone} ${start}`).toEqual(expected);
      }
    }
  });

  test("names the field that is not valid, and says what would be right", () => {
    const refused = () => nodeCronPlan().check({ cron: "0 9 * * someday", timeZone: "UTC" });
    expect(refused).toThrow('"someday" is no day of week; write *, numbers from 0 to 7 or sun to sat');
  });

  test("finds a time of a rare schedule without looking at every minute", () => {
    const plan = nodeCronPlan();
    const monthly = { cron: "30 6 1 * *", timeZone: "Europe/Berlin" };
    const started = performance.now();
    for (let day = 0; day < 28; day += 1) plan.next(monthly, at("2026-05-01T06:00:00Z") + day * 24 * 3600_000);
    const perCall = (performance.now() - started) / 28;
    // To check every minute of a month takes over 100 ms; this takes about one.
    expect(perCall).toBeLessThan(20);
  });

  test("lets a thousand schedules cost less than 10 ms of CPU a minute", async () => {
    const plan = nodeCronPlan();
    let looks = 0;
    const counted: CronPlan = {
      ...plan,
      next: (times, after) => {
        // Not those of the housekeeping.
        if (times.timeZone !== "UTC") looks += 1;
        return plan.next(times, after);
      },
    };
    const ports = { ...memoryPorts({ clock: virtualClock(at("2026-05-10T05:00:00Z")) }), cronPlan: counted };
    const schedules = Array.from({ length: 1_000 }, (_, n) =>
      schedule(`monthly-${n}`, `${n % 60} 3 ${1 + (n % 28)} * *`, async () => undefined, { timeZone: "Europe/Berlin" }),
    );
    const worker = createApp({ ports, schedules }).worker({ name: "only", concurrency: 1 });
    await worker.start();
    await worker.fireSchedules();
    expect(looks).toBe(1_000);
    let cpuMs = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      await ports.clock.advance(60_000);
      const before = process.cpuUsage();
      await worker.fireSchedules();
      const { user, system } = process.cpuUsage(before);
      cpuMs += (user + system) / 1_000;
    }
    expect(looks, "no schedule is computed anew before its next time").toBe(1_000);
    // About 0.2 ms.
    expect(cpuMs / 60).toBeLessThan(10);
  });

  test("keeps no process alive", () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = timers();
    nodeCronPlan().check({ cron: "* * * * *", timeZone: "UTC" });
    expect(timers()).toBe(before);
  });
});
