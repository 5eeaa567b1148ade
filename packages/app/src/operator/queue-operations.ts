import { AppError, type Ports } from "@postern/core";
import type { QueueSummary } from "@postern/core/ports";
import type { Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { countedAtMost, pauseNote, queue, stats } from "./wire/queue.ts";
import { momentOf } from "./wire/times.ts";

const presentQueue = (stored: QueueSummary): z.infer<typeof queue> => ({
  name: stored.name,
  paused: stored.paused,
  note: stored.note ?? null,
  ready: stored.ready,
  oldest_ready_at: momentOf(stored.oldestReadyAt),
});

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
    summary: "List the queues that are paused or have waiting jobs",
    success: { status: 200, description: "The queues, by name.", body: z.object({ data: z.array(queue) }) },
    handle: async () => ({
      status: 200,
      body: { data: (await storage.queues.list()).map(presentQueue) },
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
    handle: async () => {
      const { jobRecords, queues, runners: registry } = storage;
      const runners = await registry.live();
      const left = await storage.housekeeping.unfinishedDeletions(countedAtMost);
      return {
        status: 200,
        body: {
          jobs: await jobRecords.countByState(),
          queues: (await queues.list()).map(presentQueue),
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
