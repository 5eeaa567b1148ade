import type { ScheduleSlots } from "@postern/core/parts";
import { type Database, refusable } from "../database.ts";
import { ConstraintViolation } from "../translate-error.ts";
import { insertJobs } from "./job-rows.ts";

export const knexScheduleSlots = (database: Database): ScheduleSlots => ({
  fire: async ({ name, slot, job }, now) => {
    const id = await database.ids.take("job", 1);
    return database.write(async (session) => {
      const free = await session.rows(
        `SELECT slot FROM schedule_slot WHERE name = ? AND slot = ?${database.dialect.forUpdate}`,
        [name, slot],
      );
      if (free.length > 0) return false;
      try {
        await session.run("INSERT INTO schedule_slot (name, slot) VALUES (?, ?)", [name, slot], refusable);
      } catch (thrown) {
        // Another process was a moment quicker.
        if (thrown instanceof ConstraintViolation) return false;
        throw thrown;
      }
      await insertJobs(database, session, [{ ...job, id, createdAt: now }]);
      return true;
    });
  },
  last: async (name) => {
    const [row] = await database.read((session) =>
      session.rows<{ slot: number | null }>("SELECT MAX(slot) AS slot FROM schedule_slot WHERE name = ?", [name]),
    );
    return row?.slot ?? undefined;
  },
});
