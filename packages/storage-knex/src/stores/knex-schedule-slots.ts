import type { NewJob } from "@postern/core";
import type { ScheduleSlots, ScheduleState } from "@postern/core/ports";
import {
  chunksOf,
  type Database,
  type InRow,
  inOrderOf,
  readRows,
  type Session,
  withoutNulls,
} from "../engine/database.ts";
import { insertJobs } from "./job-rows.ts";

/** How many schedules one statement notes. */
const seenAtOnce = 200;

export const knexScheduleSlots = (database: Database): ScheduleSlots => {
  const { dialect } = database;

  /**
   * Makes sure that the schedule has a row of its state, and locks it, so that the processes that
   * look at the schedule take turns. Returns since when it is paused.
   */
  const locked = async (session: Session, name: string): Promise<number | null> => {
    const read = () =>
      session.rows<{ readonly paused_at: number | null }>(
        `SELECT paused_at FROM schedule_state WHERE name = ?${dialect.forUpdate}`,
        [name],
      );
    const [known] = await read();
    if (known !== undefined) return known.paused_at;
    await session.run(dialect.insertUnlessTaken("schedule_state", ["name"], "name"), [name]);
    const [made] = await read();
    return made?.paused_at ?? null;
  };

  const enqueue = async (
    session: Session,
    name: string,
    job: NewJob & { id: number },
    now: number,
  ): Promise<number> => {
    const [stored = job.id] = await insertJobs(database, session, [{ ...job, createdAt: now }]);
    await session.run("UPDATE schedule_state SET last_job = ? WHERE name = ?", [stored, name]);
    return stored;
  };

  return {
    fire: async ({ name, slot, job }, now) => {
      const id = await database.ids.take("job", 1);
      return database.write(async (session) => {
        if ((await locked(session, name)) !== null) return false;
        const taken = await session.rows(
          `SELECT slot FROM schedule_slot WHERE name = ? AND slot = ?${dialect.forUpdate}`,
          [name, slot],
        );
        if (taken.length > 0) return false;
        await session.run("INSERT INTO schedule_slot (name, slot) VALUES (?, ?)", [name, slot]);
        await enqueue(session, name, { ...job, id }, now);
        return true;
      });
    },
    last: async (name) => {
      const sql = "SELECT MAX(slot) AS slot FROM schedule_slot WHERE name = ?";
      const [row] = await readRows<{ slot: number | null }>(database, sql, [name]);
      return row?.slot ?? undefined;
    },
    see: async (names, now) => {
      if (names.length === 0) return;
      await database.write(async (session) => {
        for (const chunk of chunksOf(
          inOrderOf(names, (name) => name),
          seenAtOnce,
        )) {
          await session.run(dialect.insertUnlessTaken("schedule_state", ["name"], "name", chunk.length), chunk);
          await session.run(
            `UPDATE schedule_state SET seen_at = ? WHERE seen_at IS NULL AND name IN (${chunk.map(() => "?").join(", ")})`,
            [now, ...chunk],
          );
        }
      });
    },
    run: async (name, job, now) => {
      const id = await database.ids.take("job", 1);
      return database.write(async (session) => {
        await locked(session, name);
        return enqueue(session, name, { ...job, id }, now);
      });
    },
    pause: async (name, note, now) => {
      await database.write(async (session) => {
        await locked(session, name);
        const sql = "UPDATE schedule_state SET paused_at = COALESCE(paused_at, ?), note = ? WHERE name = ?";
        await session.run(sql, [now, note ?? null, name]);
      });
    },
    resume: async (name, now) => {
      await database.write((session) =>
        session.run(
          "UPDATE schedule_state SET paused_at = NULL, note = NULL, resumed_at = ? WHERE name = ? AND paused_at IS NOT NULL",
          [now, name],
        ),
      );
    },
    states: async () => {
      const rows = await readRows<InRow<ScheduleState>>(
        database,
        `SELECT name, last_job AS \`lastJob\`, seen_at AS \`seenAt\`, paused_at AS \`pausedAt\`, note, resumed_at AS \`resumedAt\`
           FROM schedule_state ORDER BY name`,
      );
      return rows.map((row) => withoutNulls(row));
    },
  };
};
