import { memoryPorts } from "@postern/core/memory";
import { type Schedule, schedule } from "@postern/jobs";
import { createScheduler } from "@postern/jobs/internal";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { describe, expect, test } from "vitest";

/** 03:00 of the second of January, in milliseconds. */
const zones = {
  UTC: Date.parse("2026-01-02T03:00:00Z"),
  "America/New_York": Date.parse("2026-01-02T03:00:00-05:00"),
  "Asia/Kolkata": Date.parse("2026-01-02T03:00:00+05:30"),
  "Pacific/Auckland": Date.parse("2026-01-02T03:00:00+13:00"),
} as const;
const minute = 60_000;
const day = 24 * 60 * minute;

describe.each(Object.entries(zones))("that has never fired, at 03:00 of %s", (timeZone, at) => {
  /** Starts at one time, is away, and comes back; the times that ran, from the first one on. */
  const timesOf = async (
    missed: Schedule["missed"],
    { first, back, pause }: { first: number; back: number; pause?: readonly [from: number, to: number] },
  ): Promise<readonly number[]> => {
    const shared = { ...memoryPorts(), cronPlan: nodeCronPlan() };
    const { clock, storage } = shared;
    const ran: number[] = [];
    const one = schedule("nightly", "0 3 * * *", async ({ slot }) => void ran.push((slot - at) / day), {
      missed,
      timeZone,
    });
    /** A process that starts, and looks once. */
    const look = async (): Promise<void> => {
      await createScheduler(shared, [one]).fire();
      for (const job of await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 9, now: clock.now() })) {
        await one.run(job.payload as Parameters<Schedule["run"]>[0], undefined as never);
        await storage.jobs.finish([{ job, end: { to: "done" } }], clock.now());
      }
    };
    clock.jump(at + first - clock.now());
    await look();
    if (pause !== undefined) await storage.scheduleSlots.pause("nightly", undefined, at + pause[0]);
    clock.jump(at + back - clock.now());
    if (pause !== undefined) await storage.scheduleSlots.resume("nightly", at + pause[1]);
    await look();
    return ran;
  };

  test.each<[string, Parameters<typeof timesOf>[1], Record<Schedule["missed"], readonly number[]>]>([
    ["seen before, away at it", { first: -10 * minute, back: 10 * minute }, { all: [0], last: [0], skip: [] }],
    ["seen long before", { first: -20 * 60 * minute, back: 10 * minute }, { all: [0], last: [0], skip: [] }],
    ["seen after it", { first: minute, back: 10 * minute }, { all: [], last: [], skip: [] }],
    ["seen at it", { first: 0, back: 10 * minute }, { all: [], last: [], skip: [] }],
    [
      "away for three nights",
      { first: -10 * minute, back: 2 * day + 10 * minute },
      { all: [0, 1, 2], last: [2], skip: [] },
    ],
    ["back a minute after it", { first: -10 * minute, back: minute }, { all: [0], last: [0], skip: [0] }],
    [
      "away for three nights, back at the third",
      { first: -10 * minute, back: 2 * day + minute },
      { all: [0, 1, 2], last: [2], skip: [2] },
    ],
    [
      "paused at it",
      { first: -10 * minute, back: 10 * minute, pause: [-5 * minute, 5 * minute] },
      { all: [], last: [], skip: [] },
    ],
    [
      "paused at it, away at the next",
      { first: -10 * minute, back: day + 10 * minute, pause: [-5 * minute, 5 * minute] },
      { all: [1], last: [1], skip: [] },
    ],
    [
      "paused and resumed before it",
      { first: -10 * minute, back: 10 * minute, pause: [-5 * minute, -2 * minute] },
      { all: [0], last: [0], skip: [] },
    ],
  ])("%s", async (_what, times, expected) => {
    for (const missed of ["all", "last", "skip"] as const) {
      expect([missed, await timesOf(missed, times)]).toEqual([missed, expected[missed]]);
    }
  });
});

test("a time at which nothing is needed starts no job, and a check that fails starts one", async () => {
  const shared = { ...memoryPorts(), cronPlan: nodeCronPlan() };
  const { clock } = shared;
  let isNeeded: () => Promise<boolean> = async () => false;
  const one: Schedule = {
    ...schedule("chore", "* * * * *", async () => undefined, { missed: "skip" }),
    isNeeded: () => isNeeded(),
  };
  const scheduler = createScheduler(shared, [one]);
  const firedAfter = async (ms: number): Promise<number> => {
    clock.jump(ms);
    return (await scheduler.fire()).fired;
  };
  await firedAfter(0);
  expect(await firedAfter(minute)).toBe(0);
  isNeeded = async () => true;
  expect(await firedAfter(minute)).toBe(1);
  isNeeded = async () => false;
  // Hours in which nothing was needed are not made up for.
  for (let hours = 0; hours < 5; hours += 1) expect(await firedAfter(60 * minute)).toBe(0);
  isNeeded = () => Promise.reject(new Error("the database is away"));
  expect(await firedAfter(minute)).toBe(1);
});
