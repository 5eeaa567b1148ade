import { type JobStore, jobStates, type QueueSummary } from "@postern/core";
import type { Database } from "../database.ts";
import { ConstraintViolation } from "../translate-error.ts";
import { insertJobs } from "./job-rows.ts";

type Queues = Pick<JobStore, "fireSlot" | "lastSlot" | "queues" | "pauseQueue" | "resumeQueue" | "hasSuspects">;

/** Queues and schedules. A queue is nothing but a name in its jobs; only those that are paused have a row. */
export const knexQueues = (database: Database): Queues => ({
  fireSlot: async ({ name, slot, job }, now) => {
    const id = await database.ids.take("job", 1);
    return database.write(async (session) => {
      const free = await session.rows(
        `SELECT slot FROM schedule_slot WHERE name = ? AND slot = ?${database.dialect.forUpdate}`,
        [name, slot],
      );
      if (free.length > 0) return false;
      try {
        await session.run("INSERT INTO schedule_slot (name, slot) VALUES (?, ?)", [name, slot]);
      } catch (thrown) {
        // Another process was quicker by a moment.
        if (thrown instanceof ConstraintViolation) return false;
        throw thrown;
      }
      await insertJobs(database, session, [{ ...job, id, createdAt: now }]);
      return true;
    });
  },
  lastSlot: async (name) => {
    const [row] = await database.read((session) =>
      session.rows<{ slot: number | null }>("SELECT MAX(slot) AS slot FROM schedule_slot WHERE name = ?", [name]),
    );
    return row?.slot ?? undefined;
  },
  queues: () =>
    database.read(async (session) => {
      const ready = await session.rows<{ queue: string; ready: number; oldest: number }>(
        `SELECT queue, COUNT(*) AS ready, MIN(COALESCE(ready_at, created_at)) AS oldest FROM job
          WHERE state = ${jobStates.ready} GROUP BY queue`,
      );
      const paused = await session.rows<{ queue: string; note: string | null }>("SELECT queue, note FROM paused_queue");
      const names = new Set([...ready, ...paused].map(({ queue }) => queue));
      return [...names].toSorted().map((name): QueueSummary => {
        const waiting = ready.find(({ queue }) => queue === name);
        const pause = paused.find(({ queue }) => queue === name);
        return {
          name,
          paused: pause !== undefined,
          note: pause?.note ?? undefined,
          ready: waiting?.ready ?? 0,
          oldestReadyAt: waiting?.oldest,
        };
      });
    }),
  pauseQueue: async (queue, note, now) => {
    await database.write(async (session) => {
      await session.run("DELETE FROM paused_queue WHERE queue = ?", [queue]);
      await session.run("INSERT INTO paused_queue (queue, note, paused_at) VALUES (?, ?, ?)", [
        queue,
        note ?? null,
        now,
      ]);
    });
  },
  resumeQueue: async (queue) => {
    await database.write((session) => session.run("DELETE FROM paused_queue WHERE queue = ?", [queue]));
  },
  hasSuspects: async (queue) => {
    const found = await database.read((session) =>
      session.rows(`SELECT id FROM job WHERE state = ${jobStates.ready} AND queue = ? AND suspect = 1 LIMIT 1`, [
        queue,
      ]),
    );
    return found.length > 0;
  },
});
