import type { QueueSummary, Queues } from "../ports/queues.ts";
import { type JobTables, jobsIn } from "./job-tables.ts";
import type { Journal } from "./journal.ts";

export const memoryQueues = (tables: JobTables, journal: Journal): Queues => {
  const { paused } = tables;
  return {
    list: async () => {
      const names = new Set([...jobsIn(tables, "ready").map(({ queue }) => queue), ...paused.keys()]);
      return [...names].toSorted().map((name): QueueSummary => {
        const ready = jobsIn(tables, "ready").filter(({ queue }) => queue === name);
        return {
          name,
          paused: paused.has(name),
          note: paused.get(name),
          ready: ready.length,
          oldestReadyAt:
            ready.length === 0 ? undefined : Math.min(...ready.map(({ createdAt, readyAt }) => readyAt ?? createdAt)),
        };
      });
    },
    pause: async (queue, note) => journal.set(paused, queue, note),
    resume: async (queue) => journal.delete(paused, queue),
    running: async () => {
      const running = jobsIn(tables, "running");
      return [...new Set(running.map(({ queue }) => queue))].toSorted().map((name) => {
        const own = running.filter(({ queue }) => queue === name);
        const started = own.map(({ startedAt, createdAt }) => startedAt ?? createdAt);
        const newestStartedAt = Math.max(...started);
        return { queue: name, running: own.length, oldestStartedAt: Math.min(...started), newestStartedAt };
      });
    },
    ended: async (since) => {
      const counts = new Map<string, number>();
      for (const { queue, finishedAt } of tables.jobs.values()) {
        if (finishedAt !== undefined && finishedAt >= since) counts.set(queue, (counts.get(queue) ?? 0) + 1);
      }
      return [...counts]
        .map(([queue, ended]) => ({ queue, ended }))
        .toSorted((left, right) => (left.queue < right.queue ? -1 : 1));
    },
    readyKinds: async () => {
      const counts = new Map<string, number>();
      for (const { kind } of jobsIn(tables, "ready")) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return [...counts]
        .map(([kind, ready]) => ({ kind, ready }))
        .toSorted((left, right) => (left.kind < right.kind ? -1 : 1));
    },
  };
};
