import { AppError, type Ports, type Storage } from "@postern/core";
import type { RunnerRecord } from "@postern/core/ports";
import type { Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { countedAtMost, pauseNote, queue, stats } from "./wire/queue.ts";
import { momentOf } from "./wire/times.ts";

const minuteMs = 60_000;

/** The limits that the running workers have for a queue. A worker that does not say may work any queue. */
const limitsOf = (name: string, runners: readonly RunnerRecord[]) => {
  const silent = runners.filter(({ limits }) => limits === undefined);
  const told = runners.flatMap(({ limits }) => {
    const own = limits?.queues[name];
    return limits === undefined || own === undefined ? [] : [{ ...own, atOnce: limits.concurrency }];
  });
  const local = told.reduce((sum, { concurrency, atOnce }) => sum + Math.min(concurrency ?? atOnce, atOnce), 0);
  const global = Math.min(...told.flatMap(({ globalConcurrency }) => globalConcurrency ?? []));
  const perSecond = Math.min(...told.flatMap((one) => one.perSecond ?? []));
  return {
    at_once: silent.length > 0 || told.length === 0 ? null : Math.min(local, global),
    per_second: Number.isFinite(perSecond) ? perSecond : null,
    workers: told.length + silent.length,
  };
};

/**
 * Every queue that is paused, that has jobs that wait, run or have just ended, or that a running worker
 * works, by name.
 */
const allQueues = async (
  { queues }: Pick<Storage, "queues">,
  runners: readonly RunnerRecord[],
  now: number,
): Promise<readonly z.infer<typeof queue>[]> => {
  const [listed, running, ended] = await Promise.all([queues.list(), queues.running(), queues.ended(now - minuteMs)]);
  const known = new Map(listed.map((one) => [one.name, one]));
  const names = new Set([
    ...known.keys(),
    ...running.map(({ queue: name }) => name),
    ...ended.map(({ queue: name }) => name),
    ...runners.flatMap(({ limits }) => Object.keys(limits?.queues ?? {})),
  ]);
  return [...names].toSorted().map((name) => ({
    name,
    paused: known.get(name)?.paused ?? false,
    note: known.get(name)?.note ?? null,
    ready: known.get(name)?.ready ?? 0,
    oldest_ready_at: momentOf(known.get(name)?.oldestReadyAt),
    running: running.find((one) => one.queue === name)?.running ?? 0,
    ended_last_minute: ended.find((one) => one.queue === name)?.ended ?? 0,
    ...limitsOf(name, runners),
  }));
};

/**
 * A queue is just a name, so one without jobs can be paused, too.
 * @throws AppError `not_found` for an invalid queue name.
 */
const queueName = (name = ""): string => {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw new AppError("not_found", { detail: "There is no such queue." });
};

const listQueues = ({ storage }: Pick<Ports, "storage">): Operation =>
  adminOperation({
    id: "admin.queues.list",
    method: "GET",
    path: "/admin/queues",
    summary: "List the queues, with their limits, what waits and what runs",
    success: { status: 200, description: "The queues, by name.", body: z.object({ data: z.array(queue) }) },
    handle: async ({ now }) => ({
      status: 200,
      body: { data: [...(await allQueues(storage, await storage.runners.live(), now()))] },
    }),
  });

const pauseQueue: Operation = adminOperation({
  id: "admin.queues.pause",
  method: "POST",
  path: "/admin/queues/{name}/pause",
  summary: "Pause a queue: no job starts any more, running jobs go on, and new jobs are stored",
  bodyOptional: true,
  body: pauseNote,
  checkedAfterSchema: ["invalid_format"],
  success: { status: 204, description: "It is paused on every node." },
  errors: ["not_found"],
  handle: async (call) => {
    const name = queueName(call.params.name);
    return call.write({ resource: "queue", id: name }, async ({ queues }) => {
      await queues.pause(name, call.body.note, call.now());
      return { status: 204 };
    });
  },
});

const resumeQueue = ({ wakeup }: Pick<Ports, "wakeup">): Operation =>
  adminOperation({
    id: "admin.queues.resume",
    method: "POST",
    path: "/admin/queues/{name}/resume",
    summary: "Start the jobs of a paused queue again",
    success: { status: 204, description: "The queue is no longer paused." },
    errors: ["not_found"],
    handle: async (call) => {
      const name = queueName(call.params.name);
      const answer = await call.write({ resource: "queue", id: name }, async ({ queues }) => {
        await queues.resume(name);
        return { status: 204 };
      });
      wakeup.notify();
      return answer;
    },
  });

const countWork = ({ storage }: Pick<Ports, "storage">): Operation =>
  adminOperation({
    id: "admin.stats",
    method: "GET",
    path: "/admin/stats",
    summary: "Count jobs by state, list queues and runners, and say what is still to be deleted",
    success: { status: 200, description: "As it is now.", body: stats },
    handle: async ({ now }) => {
      const { jobRecords, runners: registry } = storage;
      const runners = await registry.live();
      const left = await storage.housekeeping.unfinishedDeletions(countedAtMost);
      return {
        status: 200,
        body: {
          jobs: await jobRecords.countByState(),
          queues: [...(await allQueues(storage, runners, now()))],
          runners: runners.map(({ id, name }) => ({ id: String(id), name })),
          deletions: { unfinished: left.deletions, rows_left: left.rows },
        },
      };
    },
  });

/** Operations that show, stop and start queues, and one that counts all background work. */
export const queueOperations = (ports: Pick<Ports, "storage" | "wakeup">): readonly Operation[] => [
  listQueues(ports),
  pauseQueue,
  resumeQueue(ports),
  countWork(ports),
];
