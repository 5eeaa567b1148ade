import type { Ports } from "@postern/core";
import { AppError, type Job, type JobState, jobStates, type QueueSummary } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import {
  answerList,
  cursorFor,
  defaultLimit,
  defineOperation,
  listOf,
  type Operation,
  pageParameters,
} from "@postern/rest";
import { z } from "zod";
import { before, moment, momentOf, noSuch, numericId } from "./numeric-ids.ts";

// The table's own keys, which Object.keys cannot know.
const jobStateNames = Object.keys(jobStates) as [JobState, ...JobState[]];

export const job = z.object({
  id: z.string(),
  event_id: z.string().nullable().meta({ description: "The event it is about, by our id." }),
  handler: z.string(),
  queue: z.string(),
  priority: z.int().meta({ description: "Smaller first." }),
  order_key: z
    .string()
    .nullable()
    .meta({ description: "Jobs of one key run one at a time, in the order they came in." }),
  holds_order_key: z.boolean().meta({
    description: "It is dead, and the others of its order key wait until somebody runs it again or cancels it.",
  }),
  state: z.enum(jobStateNames),
  attempt: z.int(),
  max_attempts: z.int(),
  losses: z.int().meta({ description: "How often its runner died while it ran." }),
  due_at: moment.nullable(),
  cancel_at: moment.nullable().meta({ description: "When its end was asked for while it was running." }),
  last_error: z.string().nullable(),
  replay_of: z.string().nullable(),
  created_at: moment,
  started_at: moment.nullable(),
  finished_at: moment.nullable(),
});

const failure = z.object({ attempt: z.int(), at: moment, error: z.string() });
const jobInFull = job.extend({ failures: z.array(failure).meta({ description: "The newest 100, oldest first." }) });

const queue = z.object({
  name: z.string(),
  paused: z.boolean(),
  note: z.string().nullable().meta({ description: "Why it is paused." }),
  ready: z.int().meta({ description: "Jobs that wait for a runner." }),
  oldest_ready_at: moment.nullable().meta({ description: "Since when the one that waits for longest has been ready." }),
});

const stats = z.object({
  // The entries of the very table whose keys are the states.
  jobs: z.object(Object.fromEntries(jobStateNames.map((state) => [state, z.int()])) as Record<JobState, z.ZodInt>),
  queues: z.array(queue),
  runners: z.array(z.object({ id: z.string(), name: z.string() })),
});

export const presentJob = (stored: Job): z.infer<typeof job> => ({
  id: String(stored.id),
  event_id: stored.eventId === undefined ? null : String(stored.eventId),
  handler: stored.kind,
  queue: stored.queue,
  priority: stored.priority,
  order_key: stored.orderKey ?? null,
  holds_order_key: stored.holdsTurn,
  state: stored.state,
  attempt: stored.attempt,
  max_attempts: stored.maxAttempts,
  losses: stored.losses,
  due_at: momentOf(stored.dueAt),
  cancel_at: momentOf(stored.cancelAt),
  last_error: stored.lastError ?? null,
  replay_of: stored.replayOf === undefined ? null : String(stored.replayOf),
  created_at: timestampOf(stored.createdAt),
  started_at: momentOf(stored.startedAt),
  finished_at: momentOf(stored.finishedAt),
});

const presentQueue = (stored: QueueSummary): z.infer<typeof queue> => ({
  name: stored.name,
  paused: stored.paused,
  note: stored.note ?? null,
  ready: stored.ready,
  oldest_ready_at: momentOf(stored.oldestReadyAt),
});

const maxFailuresShown = 100;

/** A queue is nothing but a name; one without jobs can be paused, too. @throws AppError `not_found` for what no queue can be called. */
const queueName = (name = ""): string => {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return name;
  throw new AppError("not_found", { detail: "There is no such queue." });
};

/** Looking at jobs and queues, and stopping and starting them. */
export const jobOperations = ({ storage, wakeup }: Pick<Ports, "storage" | "wakeup">): readonly Operation[] => [
  defineOperation({
    id: "admin.jobs.list",
    method: "GET",
    path: "/admin/jobs",
    access: "admin",
    summary: "List background jobs",
    tag: "admin",
    query: z.strictObject({
      ...pageParameters,
      state: z.enum(jobStateNames).optional(),
      handler: z.string().max(128).optional(),
      queue: z.string().max(64).optional(),
    }),
    list: true,
    success: { status: 200, description: "One page, newest first.", body: listOf(job) },
    errors: ["invalid_cursor"],
    handle: async (call) => {
      const { limit = defaultLimit, cursor, state, handler, queue: inQueue } = call.query;
      const jobs = await storage.jobRecords.list({
        ...(state === undefined ? {} : { state }),
        ...(handler === undefined ? {} : { kind: handler }),
        ...(inQueue === undefined ? {} : { queue: inQueue }),
        ...(await before(call, "jobs", cursor)),
        limit: limit + 1,
      });
      return answerList(call.request, jobs, limit, presentJob, (last) =>
        call.cursors.sealCursor(cursorFor("jobs", last.id)),
      );
    },
  }),
  defineOperation({
    id: "admin.jobs.read",
    method: "GET",
    path: "/admin/jobs/{id}",
    access: "admin",
    summary: "Read a job with its failures",
    tag: "admin",
    success: { status: 200, description: "The job.", body: jobInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const { jobRecords: jobs } = storage;
      const stored = await jobs.find(numericId("job", call.params.id));
      if (stored === undefined) throw noSuch("job");
      const failures = await jobs.failures(stored.id, maxFailuresShown);
      return {
        status: 200,
        body: { ...presentJob(stored), failures: failures.map((one) => ({ ...one, at: timestampOf(one.at) })) },
      };
    },
  }),
  defineOperation({
    id: "admin.jobs.retry",
    method: "POST",
    path: "/admin/jobs/{id}/retry",
    access: "admin",
    summary: "Run a dead or cancelled job again, or one that waits for its time at once",
    tag: "admin",
    success: {
      status: 202,
      description: "The job that will run: the same one, or the one that took its place.",
      body: z.object({ id: z.string() }),
    },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const id = numericId("job", call.params.id);
      const answer = await call.write({ resource: "job", id: String(id) }, async ({ jobRecords, events }) => {
        const again = await jobRecords.retry(id, call.now());
        if (again !== undefined) return { status: 202, body: { id: String(again) } };
        const stored = await jobRecords.find(id);
        if (stored === undefined) throw noSuch("job");
        const givenUp = stored.state === "dead" || stored.state === "cancelled";
        const event = stored.eventId === undefined ? undefined : await events.find(stored.eventId);
        const why = !givenUp
          ? `it is ${stored.state}`
          : event?.bodyKept === false
            ? "the body of its event is kept no longer"
            : "another has taken its place";
        throw new AppError("state_conflict", { detail: `Job ${id} cannot be run again: ${why}.` });
      });
      wakeup.notify();
      return answer;
    },
  }),
  defineOperation({
    id: "admin.jobs.cancel",
    method: "POST",
    path: "/admin/jobs/{id}/cancel",
    access: "admin",
    summary: "End a job; one that runs is told to stop, and a dead one lets its order key go",
    tag: "admin",
    success: {
      status: 202,
      description: "It has ended, or was asked to.",
      body: z.object({
        id: z.string(),
        outcome: z.enum(["cancelled", "requested"]).meta({
          description: "`requested`: it is running; it is cancelled unless it has done its work before it notices.",
        }),
      }),
    },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const id = numericId("job", call.params.id);
      return call.write({ resource: "job", id: String(id) }, async ({ jobRecords }) => {
        const outcome = await jobRecords.cancel(id, call.now());
        if (outcome !== undefined) return { status: 202, body: { id: String(id), outcome } };
        const stored = await jobRecords.find(id);
        if (stored === undefined) throw noSuch("job");
        throw new AppError("state_conflict", { detail: `Job ${id} cannot be cancelled: it is ${stored.state}.` });
      });
    },
  }),
  defineOperation({
    id: "admin.queues.list",
    method: "GET",
    path: "/admin/queues",
    access: "admin",
    summary: "List the queues that are paused or have waiting jobs",
    tag: "admin",
    success: { status: 200, description: "The queues, by name.", body: z.object({ data: z.array(queue) }) },
    handle: async () => ({
      status: 200,
      body: { data: (await storage.queues.list()).map(presentQueue) },
    }),
  }),
  defineOperation({
    id: "admin.queues.pause",
    method: "POST",
    path: "/admin/queues/{name}/pause",
    access: "admin",
    summary: "Start no more jobs of a queue; those that run go on, and new ones are taken",
    tag: "admin",
    bodyOptional: true,
    body: z.strictObject({
      note: z.string().min(1).max(500).optional().meta({ description: "Why, for others to read." }),
    }),
    success: { status: 204, description: "It is paused on every node." },
    errors: ["not_found"],
    handle: async (call) => {
      const name = queueName(call.params.name);
      return call.write({ resource: "queue", id: name }, async ({ queues }) => {
        await queues.pause(name, call.body.note, call.now());
        return { status: 204 };
      });
    },
  }),
  defineOperation({
    id: "admin.queues.resume",
    method: "POST",
    path: "/admin/queues/{name}/resume",
    access: "admin",
    summary: "Start the jobs of a paused queue again",
    tag: "admin",
    success: { status: 204, description: "It is not paused any more." },
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
  }),
  defineOperation({
    id: "admin.stats",
    method: "GET",
    path: "/admin/stats",
    access: "admin",
    summary: "Count jobs by state, and list queues and runners",
    tag: "admin",
    success: { status: 200, description: "As it is now.", body: stats },
    handle: async () => {
      const { jobRecords, queues, runners: registry } = storage;
      const runners = await registry.live();
      return {
        status: 200,
        body: {
          jobs: await jobRecords.countByState(),
          queues: (await queues.list()).map(presentQueue),
          runners: runners.map(({ id, name }) => ({ id: String(id), name })),
        },
      };
    },
  }),
];
