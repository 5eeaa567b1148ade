import { memoryPorts, virtualClock } from "@postern/core/memory";
import type { CronPlan } from "@postern/core/ports";
import { cronPlanContract } from "@postern/core/testing";
import { createJobs, schedule } from "@postern/jobs";
import { nodeCronPlan } from "@postern/jobs/node-cron";
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

  /** Times are in UTC. */
  const expectRuns = (cron: string, timeZone: string, from: string, hours: number, runs: string): void => {
    const slots = nodeCronPlan().between({ cron, timeZone }, at(`${from}Z`), at(`${from}Z`) + hours * 3_600_000);
    expect(slots.map((slot) => new Date(slot).toISOString().slice(0, 16)).join(" "), cron).toBe(runs);
  };

  test("runs a time of the day that clocks skip right after the gap", () => {
    expectRuns("30 2 * * *", "America/New_York", "2027-03-13T12:00", 48, "2027-03-14T07:00 2027-03-15T06:30");
    expectRuns("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00", 48, "2018-11-04T03:00 2018-11-05T02:00");
    expectRuns("0 0 * * *", "Africa/Cairo", "2026-04-23T12:00", 48, "2026-04-23T22:00 2026-04-24T21:00");
    // Lord Howe's clocks skip half an hour; two times in a gap are one run; the day itself counts.
    expectRuns("10,20 2 * oct sun", "Australia/Lord_Howe", "2026-10-03T00:00", 48, "2026-10-03T15:30");
    // Samoa had no 30 December in 2011.
    expectRuns("0 12 30 12 *", "Pacific/Apia", "2011-12-28T00:00", 120, "2011-12-30T10:00");
  });

  test("runs a time of the day that clocks repeat once, the first time", () => {
    expectRuns("30 1 * * *", "America/New_York", "2027-11-06T12:00", 48, "2027-11-07T05:30 2027-11-08T06:30");
    expectRuns("30 1 * * *", "America/New_York", "2027-11-07T05:30", 6.5, "");
    expectRuns("0 2,3 * * *", "Europe/Berlin", "2026-10-24T12:00", 24, "2026-10-25T00:00 2026-10-25T02:00");
  });

  test("lets rhythms follow real time", () => {
    expectRuns(
      "*/30 * * * *",
      "America/New_York",
      "2027-03-14T05:45",
      1.75,
      "2027-03-14T06:00 2027-03-14T06:30 2027-03-14T07:00 2027-03-14T07:30",
    );
    expectRuns("30 * * * *", "Europe/Berlin", "2026-10-24T23:45", 2.25, "2026-10-25T00:30 2026-10-25T01:30");
    expectRuns("@hourly", "Europe/Berlin", "2026-03-29T00:30", 2, "2026-03-29T01:00 2026-03-29T02:00");
  });

  test("names the times that a gap moves, and no others", () => {
    const plan = nodeCronPlan();
    const year = [at("2027-01-01T00:00Z"), at("2028-01-01T00:00Z")] as const;
    const moved = (cron: string, timeZone: string) => plan.moved({ cron, timeZone }, ...year);
    expect(moved("30 2 * * *", "Europe/Berlin")).toEqual([at("2027-03-28T01:00Z")]);
    expect(moved("30 3 * * *", "Europe/Berlin")).toEqual([]);
    expect(moved("30 2 * * mon", "Europe/Berlin")).toEqual([]);
    expect(moved("*/30 2 * * *", "Europe/Berlin")).toEqual([]);
  });

  /** What a check of every minute finds, by rules that are written another way. */
  const minuteByMinute = (cron: string, timezone: string, from: number, until: number): readonly number[] => {
    const task = createTask(cron, () => undefined, { timezone });
    const inUtc = createTask(cron, () => undefined, { timezone: "UTC" });
    const rhythm = cron
      .split(" ")
      .slice(0, 2)
      .some((field) => field.startsWith("*"));
    const format = new Intl.DateTimeFormat("sv", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
    const wallAt = (slot: number) => at(`${format.format(slot).replace(" ", "T")}Z`);
    const found: number[] = [];
    let latest = wallAt(from - 86_400_000);
    for (let slot = Math.floor(from / 60_000 - 1440) * 60_000; slot <= until; slot += 60_000) {
      const wall = wallAt(slot);
      let runs = task.match(new Date(slot)) && (rhythm || wall > latest);
      for (let skipped = latest + 60_000; !rhythm && skipped < wall; skipped += 60_000) {
        runs ||= inUtc.match(new Date(skipped));
      }
      latest = Math.max(latest, wall);
      if (runs && slot > from) found.push(slot);
    }
    return found;
  };

  test("finds the same times as a check of every minute, across changes of the clocks", () => {
    const plan = nodeCronPlan();
    const cases: readonly (readonly [string, string])[] = [
      ["30 2 * * *", "Europe/Berlin"],
      ["*/20 0-3 * mar,oct sun", "Europe/Berlin"],
      ["15 0 1 * *", "Asia/Kathmandu"],
      ["0 0 * * mon-fri", "America/St_Johns"],
      ["59 23 31 * *", "Australia/Lord_Howe"],
      ["0 0 * * *", "America/Santiago"],
      ["5,45 1-2 * * *", "Australia/Lord_Howe"],
    ];
    for (const [cron, timeZone] of cases) {
      for (const start of [
        "2026-03-26T11:07:00Z",
        "2026-04-02T01:00:00Z",
        "2026-09-04T00:00:00Z",
        "2026-10-01T22:59:59Z",
        "2026-10-23T22:59:59Z",
      ]) {
        const [from, until] = [at(start), at(start) + 5 * 24 * 3600_000];
        const expected = minuteByMinute(cron, timeZone, from, until);
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
    const worker = createJobs({ ports, schedules }).worker({ name: "only", concurrency: 1 });
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
