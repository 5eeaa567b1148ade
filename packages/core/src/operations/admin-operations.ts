import { z } from "zod";
import { AppError } from "../errors/index.ts";
import { parsedJson } from "../inbox/quarantine.ts";
import { replayEvent } from "../inbox/replay-event.ts";
import type { EventState, EventSummary } from "../ports/event-store.ts";
import { type Job, type JobState, jobStates } from "../ports/job-store.ts";
import { timestampOf } from "../resources/text.ts";
import { answerList, cursorFor, defaultLimit, listOf, pageParameters, placeIn } from "./lists.ts";
import { type Call, defineOperation, type Operation } from "./operation.ts";

const eventStates = [
  "received",
  "processing",
  "retrying",
  "processed",
  "dead",
  "ignored",
  "quarantined",
] as const satisfies readonly EventState[];

// The table's own keys, which Object.keys cannot know.
const jobStateNames = Object.keys(jobStates) as [JobState, ...JobState[]];

const moment = z.iso.datetime();
const event = z.object({
  id: z.string(),
  provider: z.string(),
  event_id: z.string().nullable().meta({ description: "The sender's own id." }),
  type: z.string().nullable(),
  state: z.enum(eventStates),
  reason: z.string().nullable().meta({ description: "Why it was quarantined or ignored." }),
  occurred_at: moment.nullable().meta({ description: "The sender's own time." }),
  received_at: moment,
  repeats: z.int().meta({ description: "How often the sender delivered it again." }),
});
const job = z.object({
  id: z.string(),
  event_id: z.string().nullable().meta({ description: "The event it is about, by our id." }),
  handler: z.string(),
  queue: z.string(),
  state: z.enum(jobStateNames),
  attempt: z.int(),
  max_attempts: z.int(),
  losses: z.int().meta({ description: "How often its runner died while it ran." }),
  due_at: moment.nullable(),
  last_error: z.string().nullable(),
  replay_of: z.string().nullable(),
  created_at: moment,
  started_at: moment.nullable(),
  finished_at: moment.nullable(),
});
const eventInFull = event.extend({
  headers: z.record(z.string(), z.string()),
  data: z.unknown().meta({ description: "The body, where it is JSON." }),
  body_base64: z.string().meta({ description: "Exactly the bytes that were signed." }),
  jobs: z.array(job),
});

const momentOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : timestampOf(milliseconds);

const presentEvent = (stored: EventSummary): z.infer<typeof event> => ({
  id: String(stored.id),
  provider: stored.provider,
  event_id: stored.eventId ?? null,
  type: stored.type ?? null,
  state: stored.state,
  reason: stored.reason ?? null,
  occurred_at: momentOf(stored.occurredAt),
  received_at: timestampOf(stored.receivedAt),
  repeats: stored.repeats,
});

const presentJob = (stored: Job): z.infer<typeof job> => ({
  id: String(stored.id),
  event_id: stored.eventId === undefined ? null : String(stored.eventId),
  handler: stored.kind,
  queue: stored.queue,
  state: stored.state,
  attempt: stored.attempt,
  max_attempts: stored.maxAttempts,
  losses: stored.losses,
  due_at: momentOf(stored.dueAt),
  last_error: stored.lastError ?? null,
  replay_of: stored.replayOf === undefined ? null : String(stored.replayOf),
  created_at: timestampOf(stored.createdAt),
  started_at: momentOf(stored.startedAt),
  finished_at: momentOf(stored.finishedAt),
});

/** Inbox ids are whole numbers in plain digits; any other spelling names nothing. */
const numericId = (text: string | undefined): number => {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new AppError("not_found", { detail: "There is no such event." });
};

const maxJobsShown = 100;

/** The place of a page that goes from newer to older ids. */
const before = async (call: Call, list: string, cursor: string | undefined): Promise<{ before?: number }> =>
  cursor === undefined ? {} : { before: Number(placeIn(list, await call.environment.ports.signer.openCursor(cursor))) };

export const adminOperations: readonly Operation[] = [
  defineOperation({
    id: "admin.events.list",
    method: "GET",
    path: "/admin/events",
    access: "admin",
    summary: "List webhook events",
    tag: "admin",
    query: z.strictObject({
      ...pageParameters,
      provider: z.string().max(64).optional(),
      type: z.string().max(128).optional(),
      state: z.enum(eventStates).optional(),
    }),
    list: true,
    success: { status: 200, description: "One page, newest first.", body: listOf(event) },
    errors: ["invalid_cursor"],
    handle: async (call) => {
      const { limit = defaultLimit, cursor, provider, type, state } = call.query;
      const { storage, signer } = call.environment.ports;
      const events = await storage.events.list({
        ...(provider === undefined ? {} : { provider }),
        ...(type === undefined ? {} : { type }),
        ...(state === undefined ? {} : { state }),
        ...(await before(call, "events", cursor)),
        limit: limit + 1,
      });
      return answerList(call.request, events, limit, presentEvent, (last) =>
        signer.sealCursor(cursorFor("events", last.id)),
      );
    },
  }),
  defineOperation({
    id: "admin.events.read",
    method: "GET",
    path: "/admin/events/{id}",
    access: "admin",
    summary: "Read a webhook event with its body and its jobs",
    tag: "admin",
    success: { status: 200, description: "The event.", body: eventInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const { events, jobs } = call.environment.ports.storage;
      const id = numericId(call.params.id);
      const stored = await events.find(id);
      if (stored === undefined) throw new AppError("not_found", { detail: "There is no such event." });
      return {
        status: 200,
        body: {
          ...presentEvent(stored),
          headers: stored.headers,
          data: parsedJson(stored.body) ?? null,
          body_base64: base64(stored.body),
          jobs: (await jobs.list({ eventId: id, limit: maxJobsShown })).map(presentJob),
        },
      };
    },
  }),
  defineOperation({
    id: "admin.events.replay",
    method: "POST",
    path: "/admin/events/{id}/replay",
    access: "admin",
    summary: "Run a dead, ignored or quarantined event again",
    tag: "admin",
    bodyOptional: true,
    body: z.strictObject({
      force: z.boolean().default(false).meta({ description: "Also one that has been processed." }),
    }),
    success: {
      status: 202,
      description: "Its jobs are waiting to run.",
      body: z.object({ id: z.string(), jobs: z.int() }),
    },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { id, jobs } = await replayEvent(call.environment, numericId(call.params.id), call.body);
      return { status: 202, body: { id: String(id), jobs } };
    },
  }),
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
    }),
    list: true,
    success: { status: 200, description: "One page, newest first.", body: listOf(job) },
    errors: ["invalid_cursor"],
    handle: async (call) => {
      const { limit = defaultLimit, cursor, state, handler } = call.query;
      const { storage, signer } = call.environment.ports;
      const jobs = await storage.jobs.list({
        ...(state === undefined ? {} : { state }),
        ...(handler === undefined ? {} : { kind: handler }),
        ...(await before(call, "jobs", cursor)),
        limit: limit + 1,
      });
      return answerList(call.request, jobs, limit, presentJob, (last) => signer.sealCursor(cursorFor("jobs", last.id)));
    },
  }),
];

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648, section 4; core has no platform to ask. */
const base64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second, third] = bytes.subarray(index, index + 3);
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += alphabet.charAt(group >> 18) + alphabet.charAt((group >> 12) & 63);
    text += second === undefined ? "=" : alphabet.charAt((group >> 6) & 63);
    text += third === undefined ? "=" : alphabet.charAt(group & 63);
  }
  return text;
};
