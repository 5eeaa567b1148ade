import type { EventState, EventSummary, ForwardAttempt, StoredEvent } from "@postern/core";
import { AppError } from "@postern/core";
import type { ReplayParts } from "@postern/core/parts";
import { isTooDeep, nothingMade, payloadOf, planReplay, timestampOf } from "@postern/core/parts";
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
import { job, presentJob } from "./job-operations.ts";
import { before, moment, momentOf, noSuch, numericId } from "./numeric-ids.ts";

const eventStates = [
  "received",
  "processing",
  "retrying",
  "processed",
  "dead",
  "cancelled",
  "ignored",
  "quarantined",
] as const satisfies readonly EventState[];

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
  body_kept: z
    .boolean()
    .meta({ description: "False once its body and headers were deleted; it cannot be replayed then." }),
});
const forward = z.object({
  handler: z.string(),
  attempt: z.int(),
  at: moment,
  ms: z.int(),
  status: z.int().nullable().meta({ description: "What the target answered; null when it did not." }),
  headers: z.record(z.string(), z.string()),
  body: z.string().meta({ description: "The beginning of the answer." }),
  error: z.string().nullable(),
});
const eventInFull = event.extend({
  headers: z.record(z.string(), z.string()),
  data: z.unknown().meta({ description: "The body, where it is JSON." }),
  body_base64: z
    .string()
    .meta({ description: "Exactly the bytes that were signed; empty when they are kept no longer." }),
  forwards: z.array(forward).meta({ description: "What targets answered, newest first." }),
  jobs: z.array(job),
});

const presentForward = ({ eventId: _event, at, status, error, ...rest }: ForwardAttempt): z.infer<typeof forward> => ({
  ...rest,
  at: timestampOf(at),
  status: status ?? null,
  error: error ?? null,
});

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
  body_kept: stored.bodyKept,
});

const dataOf = async ({ providers }: ReplayParts, { provider, body }: StoredEvent): Promise<unknown> => {
  const data = body === undefined ? undefined : payloadOf(await providers.find(provider), body);
  // Nothing could write it; its bytes stand beside it.
  return isTooDeep(data) ? null : (data ?? null);
};

const maxJobsShown = 100;

export const eventOperations = (parts: ReplayParts): readonly Operation[] => [
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
      const { storage } = parts.ports;
      const events = await storage.events.list({
        ...(provider === undefined ? {} : { provider }),
        ...(type === undefined ? {} : { type }),
        ...(state === undefined ? {} : { state }),
        ...(await before(call, "events", cursor)),
        limit: limit + 1,
      });
      return answerList(call.request, events, limit, presentEvent, (last) =>
        call.cursors.sealCursor(cursorFor("events", last.id)),
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
      const { events, forwards, jobRecords } = parts.ports.storage;
      const id = numericId("event", call.params.id);
      const stored = await events.find(id);
      if (stored === undefined) throw noSuch("event");
      return {
        status: 200,
        body: {
          ...presentEvent(stored),
          headers: stored.headers,
          data: await dataOf(parts, stored),
          body_base64: base64(stored.body ?? new Uint8Array()),
          jobs: (await jobRecords.list({ eventId: id, limit: maxJobsShown })).map(presentJob),
          forwards: (await forwards.list(id, maxJobsShown)).map(presentForward),
        },
      };
    },
  }),
  defineOperation({
    id: "admin.events.replay",
    method: "POST",
    path: "/admin/events/{id}/replay",
    access: "admin",
    summary: "Run a dead, cancelled, ignored or quarantined event again",
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
      const plan = await planReplay(parts, numericId("event", call.params.id), call.body);
      const id = String(plan.id);
      const answer = await call.write({ resource: "event", id }, async ({ events }) => {
        const [jobs = 0] = await events.replay([plan], { includeDone: call.body.force, now: call.now() });
        if (jobs === 0) {
          throw new AppError("state_conflict", { detail: `Event ${id} cannot be replayed: ${nothingMade}.` });
        }
        return { status: 202, body: { id, jobs } };
      });
      parts.ports.wakeup.notify();
      return answer;
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
