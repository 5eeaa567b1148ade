import { AppError, type Ports, type Storage } from "@postern/core";
import { givenUpStates, mayRetry, timestampOf } from "@postern/core/internal";
import type { AuditLog, Job, JobFilter } from "@postern/core/ports";
import type { EngineCall, Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { given } from "./given-members.ts";
import { noSuch, numberedList, numericId } from "./numbered.ts";
import { actionsOfJob, jobScope } from "./wire/actions.ts";
import { exampleJob } from "./wire/examples.ts";
import { type job, jobInFull, jobStateNames, namedJob } from "./wire/job.ts";
import { maskedError, reveal, revealed } from "./wire/masking.ts";
import { causeText, nameText } from "./wire/texts.ts";
import { millisecondsOf, moment, momentOf, orDay } from "./wire/times.ts";

/** The senders of events, by the events' numbers. */
type Senders = ReadonlyMap<number, string>;

/** The senders of the events that jobs are about. */
const sendersOf = async ({ events }: Pick<Storage, "events">, jobs: readonly Job[]): Promise<Senders> => {
  const ids = [...new Set(jobs.flatMap(({ eventId }) => eventId ?? []))];
  // An application without webhooks has no table of them.
  if (ids.length === 0) return new Map();
  const found = await events.list({ ids, limit: ids.length });
  return new Map(found.map(({ id, provider }) => [id, provider]));
};

const presentJob = (call: Pick<EngineCall, "may">, stored: Job, senders: Senders): z.infer<typeof job> => ({
  id: String(stored.id),
  event_id: stored.eventId === undefined ? null : String(stored.eventId),
  provider: senders.get(stored.eventId ?? 0) ?? null,
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
  actions: actionsOfJob(call, stored),
});

/**
 * Notes in the audit log who saw payloads or errors of handlers, before they are shown. Without
 * `id`, they were shown in a list.
 */
export const noteReveal = async (
  call: Pick<EngineCall, "may" | "note">,
  audit: AuditLog,
  about: { readonly resource: "event" | "job" | "refusal"; readonly id?: string },
): Promise<void> => {
  if (call.may(reveal)) await call.note(audit, { action: reveal, ...about });
};

/** How a caller sees jobs: without the texts of errors if they may not see payloads. */
export const jobsFor =
  (call: Pick<EngineCall, "may">, senders: Senders) =>
  (stored: Job): z.infer<typeof job> =>
    call.may(reveal) || stored.lastError === undefined
      ? presentJob(call, stored, senders)
      : { ...presentJob(call, stored, senders), last_error: maskedError };

const maxFailuresShown = 100;

/** Whether a job that its state lets run again was replaced, or its event lets no job of it run. */
const isLeftBehind = async (
  { jobRecords, events }: Ports["storage"],
  { id, state, eventId }: Job,
): Promise<boolean> => {
  if (!givenUpStates.includes(state)) return false;
  const [next] = await jobRecords.list({ state, current: true, after: id - 1, limit: 1 });
  if (next?.id !== id) return true;
  const event = eventId === undefined ? undefined : await events.find(eventId);
  return event !== undefined && (event.state === "discarded" || !event.bodyKept);
};

const jobFilters = {
  "filter[event_id]": z
    .string()
    .regex(/^[1-9]\d{0,14}$/, { error: "the id of an event, in digits" })
    .meta({ description: "Only jobs about this event, by its id here." }),
  "filter[handler]": nameText(128),
  "filter[queue]": nameText(64),
  "filter[state]": z.enum(jobStateNames),
  "filter[cause]": causeText.meta({
    description: "Only jobs whose latest failure has this cause: an id of `GET /admin/causes`.",
  }),
  "filter[provider]": nameText(64).meta({ description: "Only jobs about an event of this sender." }),
  "filter[created_at][gte]": orDay(moment).meta({ description: "Only jobs stored at this time or later." }),
  "filter[created_at][lt]": orDay(moment).meta({ description: "Only jobs stored before this time." }),
  "filter[upkeep]": z.enum(["true", "false"]).meta({
    description: "`false` leaves out the server's own upkeep: the jobs of its schedules. `true` leaves out all others.",
  }),
};

const jobFilterOf = (filters: Readonly<Record<string, unknown>>, upkeep: readonly string[]): JobFilter => {
  const asked = z.object(jobFilters).partial().parse(filters);
  const event = asked["filter[event_id]"];
  const wanted = asked["filter[upkeep]"];
  return given({
    eventId: event === undefined ? undefined : Number(event),
    kind: asked["filter[handler]"],
    queue: asked["filter[queue]"],
    state: asked["filter[state]"],
    cause: asked["filter[cause]"],
    provider: asked["filter[provider]"],
    since: millisecondsOf(asked["filter[created_at][gte]"]),
    until: millisecondsOf(asked["filter[created_at][lt]"]),
    kinds: wanted === undefined ? undefined : wanted === "true" ? { in: upkeep } : { notIn: upkeep },
  });
};

const listJobs = ({ storage }: Pick<Ports, "storage">, upkeep: readonly string[]): Operation =>
  numberedList<Job>({
    id: "admin.jobs.list",
    path: "/admin/jobs",
    summary: "List background jobs",
    item: namedJob,
    name: "job",
    filters: jobFilters,
    checkedAfterSchema: ["invalid_format"],
    read: (filters, border) => storage.jobRecords.list({ ...jobFilterOf(filters, upkeep), ...border }),
    count: (filters, atMost) => storage.jobRecords.count(jobFilterOf(filters, upkeep), atMost),
    widerScopes: revealed,
    present: async (found, call) => {
      if (found.some(({ lastError }) => lastError !== undefined)) {
        await noteReveal(call, storage.audit, { resource: "job" });
      }
      return found.map(jobsFor(call, await sendersOf(storage, found)));
    },
  });

const readJob = ({ storage }: Pick<Ports, "storage">): Operation =>
  adminOperation({
    id: "admin.jobs.read",
    method: "GET",
    path: "/admin/jobs/{id}",
    summary: "Read a job with its failures",
    widerScopes: revealed,
    success: { status: 200, description: "The job.", body: jobInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const { jobRecords: jobs } = storage;
      const stored = await jobs.find(numericId("job", call.params.id));
      if (stored === undefined) throw noSuch("job");
      const failures = await jobs.failures(stored.id, maxFailuresShown);
      if (failures.length > 0 || stored.lastError !== undefined) {
        await noteReveal(call, storage.audit, { resource: "job", id: String(stored.id) });
      }
      const shown = jobsFor(call, await sendersOf(storage, [stored]))(stored);
      const isBehind = await isLeftBehind(storage, stored);
      return {
        status: 200,
        body: {
          ...shown,
          actions: shown.actions.filter((action) => action !== "admin.jobs.retry" || !isBehind),
          failures: failures.map((one) => ({
            attempt: one.attempt,
            at: timestampOf(one.at),
            error: call.may(reveal) ? one.error : maskedError,
            after_commit: one.afterCommit,
            log: call.may(reveal) ? one.log.map((line) => ({ ...line, at: timestampOf(line.at) })) : [],
          })),
        },
      };
    },
  });

const neighboursShown = 5;

const readNeighbours = ({ storage }: Pick<Ports, "storage">): Operation =>
  adminOperation({
    id: "admin.jobs.neighbours",
    method: "GET",
    path: "/admin/jobs/{id}/neighbours",
    summary: "List the jobs of the same order key before and after a job",
    widerScopes: revealed,
    success: {
      status: 200,
      description: `The ${neighboursShown} before it and the ${neighboursShown} after it, the nearest first, of the 10,000 ids on each side. None if it has no order key.`,
      body: z.object({ before: z.array(namedJob), after: z.array(namedJob) }).meta({
        examples: [{ before: [], after: [exampleJob] }],
      }),
    },
    errors: ["not_found"],
    handle: async (call) => {
      const stored = await storage.jobRecords.find(numericId("job", call.params.id));
      if (stored === undefined) throw noSuch("job");
      const { before, after } = await storage.jobRecords.neighbours(stored.id, neighboursShown);
      if ([...before, ...after].some(({ lastError }) => lastError !== undefined)) {
        await noteReveal(call, storage.audit, { resource: "job" });
      }
      const present = jobsFor(call, await sendersOf(storage, [...before, ...after]));
      return { status: 200, body: { before: before.map(present), after: after.map(present) } };
    },
  });

const retryJob = ({ wakeup }: Pick<Ports, "wakeup">): Operation =>
  adminOperation({
    id: "admin.jobs.retry",
    method: "POST",
    path: "/admin/jobs/{id}/retry",
    scope: jobScope,
    summary: "Run a dead or cancelled job again, or run a scheduled job at once",
    success: {
      status: 202,
      description: "The job that will run: the same job, or the one that replaces it.",
      body: z.object({ id: z.string().meta({ examples: [exampleJob.id] }) }),
    },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const id = numericId("job", call.params.id);
      const answer = await call.write({ resource: "job", id: String(id) }, async ({ jobRecords, events }) => {
        const again = await jobRecords.retry(id, call.now());
        if (again !== undefined) return { status: 202, body: { id: String(again) } };
        const stored = await jobRecords.find(id);
        if (stored === undefined) throw noSuch("job");
        const event = stored.eventId === undefined ? undefined : await events.find(stored.eventId);
        const why = !mayRetry(stored)
          ? `it is ${stored.state}`
          : event?.state === "discarded"
            ? "its event was discarded, which only a replay of the event takes back"
            : event?.bodyKept === false
              ? "the body of its event was deleted"
              : "another has taken its place";
        throw new AppError("state_conflict", { detail: `Job ${id} cannot be run again: ${why}.` });
      });
      wakeup.notify();
      return answer;
    },
  });

const cancelJob: Operation = adminOperation({
  id: "admin.jobs.cancel",
  method: "POST",
  path: "/admin/jobs/{id}/cancel",
  scope: jobScope,
  summary: "Cancel a job: a running job is told to stop, and a dead one releases its order key",
  confirm: "Cancel the job {id}? If it is running, it is told to stop. What it has done stays.",
  success: {
    status: 202,
    description: "The job was cancelled, or was asked to stop.",
    body: z.object({
      id: z.string().meta({ examples: [exampleJob.id] }),
      outcome: z.enum(["cancelled", "requested"]).meta({
        description: "`requested`: the job is running. It is cancelled, unless it finishes its work first.",
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
});

/** Operations that show, stop and start jobs. `upkeep` are the names of Postern's own schedules. */
export const jobOperations = (
  ports: Pick<Ports, "storage" | "wakeup">,
  upkeep: readonly string[],
): readonly Operation[] => [listJobs(ports, upkeep), readJob(ports), readNeighbours(ports), retryJob(ports), cancelJob];
