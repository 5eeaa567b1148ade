import type { ScheduleSlots, ScheduleState } from "../ports/schedule-slots.ts";
import { insertMemoryJob, type JobTables } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

const unpaused = { pausedAt: undefined, note: undefined, resumedAt: undefined };

export const memoryScheduleSlots = (tables: JobTables, journal: Journal): ScheduleSlots => {
  const { slots, schedules } = tables;
  const stateOf = (name: string): ScheduleState =>
    schedules.get(name) ?? { name, lastJob: undefined, seenAt: undefined, ...unpaused };
  const change = (name: string, changed: Partial<ScheduleState>): void =>
    journal.set(schedules, name, { ...stateOf(name), ...changed });
  const run: ScheduleSlots["run"] = async (name, job, now) => {
    const lastJob = insertMemoryJob(tables, journal, job, { now });
    change(name, { lastJob });
    return lastJob;
  };
  return {
    fire: async ({ name, slot, job }, now) => {
      const key = `${name} ${slot}`;
      if (slots.has(key) || stateOf(name).pausedAt !== undefined) return false;
      journal.set(slots, key, { name, slot });
      await run(name, job, now);
      return true;
    },
    last: async (name) => {
      const times = [...slots.values()].flatMap((one) => (one.name === name ? [one.slot] : []));
      return times.length === 0 ? undefined : Math.max(...times);
    },
    see: async (names, now) => {
      for (const name of names) change(name, { seenAt: stateOf(name).seenAt ?? now });
    },
    run,
    pause: async (name, note, now) => change(name, { pausedAt: stateOf(name).pausedAt ?? now, note }),
    resume: async (name, now) => {
      if (stateOf(name).pausedAt !== undefined) change(name, { pausedAt: undefined, note: undefined, resumedAt: now });
    },
    states: async () => [...schedules.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1)),
  };
};
