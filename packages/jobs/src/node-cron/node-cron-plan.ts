import { cronFields, hasFixedTimes } from "@postern/core/internal";
import type { CronPlan } from "@postern/core/ports";
import { createTask, type ScheduledTask } from "node-cron";
import { type CronTimes, checkTimes } from "./check-times.ts";
import { type TimeZone, timeZoneOf } from "./time-zone.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
const farthestMs = 5 * 366 * dayMs;

/**
 * Whether a moment matches. A moment is what a clock on the wall shows, written as the milliseconds
 * of the same date and time in UTC. So days have 24 hours here.
 */
type Matches = (wall: number) => boolean;

interface Plan {
  readonly zone: TimeZone;
  readonly fixed: boolean;
  readonly minute: Matches;
  readonly hour: Matches;
  readonly day: Matches;
}

/** node-cron takes about a millisecond to read an expression, so what is never asked for is not read. */
const matcherOf = (fields: readonly string[]): Matches => {
  if (fields.every((field) => field === "*")) return () => true;
  let task: ScheduledTask | undefined;
  return (wall) => {
    task ??= createTask(fields.join(" "), () => undefined, { timezone: "UTC" });
    return task.match(new Date(wall));
  };
};

const made = (times: CronTimes): Plan => {
  checkTimes(times);
  const fields = cronFields(times.cron);
  const [, hour = "*", ...date] = fields;
  return {
    zone: timeZoneOf(times.timeZone),
    fixed: hasFixedTimes(fields),
    minute: matcherOf(fields),
    hour: matcherOf(["*", hour, ...date]),
    day: matcherOf(["*", "*", ...date]),
  };
};

const nextStart = (wall: number, unitMs: number): number => (Math.floor(wall / unitMs) + 1) * unitMs;

/** The first minute on the wall that matches, from `from` up to but not including `until`. */
const firstOnWall = ({ minute, hour, day }: Plan, from: number, until: number): number | undefined => {
  let wall = Math.ceil(from / minuteMs) * minuteMs;
  while (wall < until) {
    if (!day(wall)) wall = nextStart(wall, dayMs);
    else if (!hour(wall)) wall = nextStart(wall, hourMs);
    else if (minute(wall)) return wall;
    else wall += minuteMs;
  }
  return undefined;
};

/** Whether the clocks skip a time of the plan when they change at `change`. */
const runsAfterGap = (plan: Plan, change: number): boolean => {
  const [before, offset] = [plan.zone.offsetAt(change - minuteMs), plan.zone.offsetAt(change)];
  return plan.fixed && offset > before && firstOnWall(plan, change + before, change + offset) !== undefined;
};

/**
 * The first time after `after` and not after `until`. It goes from one change of the clocks to the
 * next, and starts a day early, because the change before `after` matters too.
 */
const firstIn = (plan: Plan, after: number, until: number): number | undefined => {
  const { zone, fixed } = plan;
  const first = nextStart(after, minuteMs);
  const end = until + 1;
  let start = nextStart(first - dayMs, hourMs);
  let before = zone.offsetAt(start);
  while (start < end) {
    const offset = zone.offsetAt(start);
    const change = zone.changeAfter(start, end);
    if (start >= first && offset > before && runsAfterGap(plan, start)) return start;
    const repeatedUntil = fixed ? start + before : Number.NEGATIVE_INFINITY;
    const from = Math.max(Math.max(start, first) + offset, repeatedUntil);
    const wall = firstOnWall(plan, from, Math.min(change, end) + offset);
    if (wall !== undefined) return wall - offset;
    start = change;
    before = offset;
  }
  return undefined;
};

const slotsIn = (plan: Plan, after: number, until: number): readonly number[] => {
  const slots: number[] = [];
  for (let slot = firstIn(plan, after, until); slot !== undefined; slot = firstIn(plan, slot, until)) slots.push(slot);
  return slots;
};

/** The times right after a gap at which the plan runs because its own time is in the gap. */
const movedIn = (plan: Plan, after: number, until: number): readonly number[] => {
  const { zone } = plan;
  const moved: number[] = [];
  for (let change = zone.changeAfter(after, until + 1); change <= until; change = zone.changeAfter(change, until + 1)) {
    if (change > after && runsAfterGap(plan, change)) moved.push(change);
  }
  return moved;
};

/**
 * Reads cron expressions with node-cron, and time zones with `Intl`. It starts none of node-cron's
 * timers.
 */
export const nodeCronPlan = (): CronPlan => {
  const known = new Map<string, Plan>();

  const planOf = (times: CronTimes): Plan => {
    const key = `${times.timeZone} ${times.cron}`;
    const plan = known.get(key) ?? made(times);
    known.set(key, plan);
    return plan;
  };

  return {
    check: checkTimes,
    between: (times, after, until) => slotsIn(planOf(times), Math.max(after, until - weekMs), until),
    next: (times, after) => firstIn(planOf(times), after, after + farthestMs),
    moved: (times, after, until) => movedIn(planOf(times), after, until),
  };
};
