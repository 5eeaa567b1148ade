import { jobStates, type QueueSummary, type Queues } from "@postern/core/ports";
import { type Database, readRows } from "../engine/database.ts";
import { changeQuery } from "../engine/query-builder.ts";

/** A queue is a name in its jobs. Only paused queues have a row of their own. */
export const knexQueues = (database: Database): Queues => ({
  list: () =>
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
  pause: async (queue, note, now) => {
    // One statement: somebody else may pause it at the same moment.
    const row = { queue, note: note ?? null, paused_at: now };
    await changeQuery(database, database.dialect.query("paused_queue").insert(row).onConflict("queue").merge());
  },
  resume: async (queue) => {
    await changeQuery(database, database.dialect.query("paused_queue").where({ queue }).delete());
  },
  running: async () => {
    const rows = await readRows<{ queue: string; running: number; oldest: number; newest: number }>(
      database,
      `SELECT queue, COUNT(*) AS running, MIN(COALESCE(started_at, created_at)) AS oldest,
              MAX(COALESCE(started_at, created_at)) AS newest
         FROM job
        WHERE state = ${jobStates.running} GROUP BY queue ORDER BY queue`,
    );
    return rows.map(({ oldest, newest, ...one }) => ({ ...one, oldestStartedAt: oldest, newestStartedAt: newest }));
  },
  // The condition of the partial index `ended`.
  ended: (since) =>
    readRows<{ queue: string; ended: number }>(
      database,
      `SELECT queue, COUNT(*) AS ended FROM job WHERE state >= ${jobStates.done} AND finished_at >= ?
        GROUP BY queue ORDER BY queue`,
      [since],
    ),
  readyKinds: () =>
    readRows<{ kind: string; ready: number }>(
      database,
      `SELECT kind, COUNT(*) AS ready FROM job WHERE state = ${jobStates.ready} GROUP BY kind ORDER BY kind LIMIT 1000`,
    ),
});
