import type { CronPlan, CronTimes } from "@postern/core";
import { createTask, type ScheduledTask, validateDetailed } from "node-cron";

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

const checkTimes = ({ cron, timeZone }: CronTimes): void => {
  // A sixth field would be seconds; schedules go by minutes.
  if (cron.trim().split(/\s+/).length !== 5) {
    throw new TypeError(`"${cron}" does not have the five fields of a cron expression`);
  }
  const { valid, errors } = validateDetailed(cron);
  if (!valid)
    throw new TypeError(`"${cron}" is no cron expression: ${errors.map(({ message }) => message).join("; ")}`);
  // Node loads its time zones with the first formatter; a process whose schedules are all in UTC need not wait for that.
  if (timeZone === "UTC") return;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw new TypeError(`there is no time zone "${timeZone}"`);
  }
};

const made = (times: CronTimes): ScheduledTask => {
  checkTimes(times);
  return createTask(times.cron, () => undefined, { timezone: times.timeZone });
};

/** Reads cron expressions with node-cron: names of months and days, ranges, steps, lists, time zones. It starts none of node-cron's timers. */
export const nodeCronPlan = (): CronPlan => {
  const tasks = new Map<string, ScheduledTask>();

  const known = (times: CronTimes): ScheduledTask => {
    const key = `${times.timeZone} ${times.cron}`;
    const task = tasks.get(key) ?? made(times);
    tasks.set(key, task);
    return task;
  };

  return {
    check: checkTimes,
    between: (times, after, until) => {
      const task = known(times);
      const slots: number[] = [];
      const from = Math.max(after, until - weekMs);
      for (let slot = (Math.floor(from / minuteMs) + 1) * minuteMs; slot <= until; slot += minuteMs) {
        if (task.match(new Date(slot))) slots.push(slot);
      }
      return slots;
    },
  };
};
