import type { ScheduleSlots } from "../ports/schedule-slots.ts";
import { insertMemoryJob, type JobTables } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

export const memoryScheduleSlots = (tables: JobTables, journal: Journal): ScheduleSlots => {
  const { slots } = tables;
  return {
    fire: async ({ name, slot, job }, now) => {
      const key = `${name} ${slot}`;
      if (slots.has(key)) return false;
      journal.set(slots, key, { name, slot });
      insertMemoryJob(tables, journal, job, { now });
      return true;
    },
    last: async (name) => {
      const times = [...slots.values()].flatMap((one) => (one.name === name ? [one.slot] : []));
      return times.length === 0 ? undefined : Math.max(...times);
    },
  };
};
