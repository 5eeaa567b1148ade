import { createHash } from "node:crypto";
import { storable } from "@postern/core/internal";
import { eventStates, type JobState, jobStates, type PastEvent, type PastJob } from "@postern/core/ports";
import { z } from "zod";

const moment = z.iso.datetime().transform((text) => Date.parse(text));

const job = z.looseObject({
  id: z.string(),
  handler: z.string().min(1).max(128),
  queue: z.string().min(1).max(64),
  priority: z.int(),
  order_key: z.string().max(191).nullable(),
  state: z.enum(Object.keys(jobStates) as JobState[]),
  attempt: z.int().min(0),
  max_attempts: z.int().min(1),
  due_at: moment.nullable(),
  last_error: z.string().nullable(),
  replay_of: z.string().nullable(),
  created_at: moment,
  finished_at: moment.nullable(),
});
const note = z.looseObject({ id: z.uuid(), at: moment, author: z.string().max(128), text: z.string().max(2_000) });
const line = z.looseObject({
  provider: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  event_id: z.string().nullable(),
  type: z.string().nullable(),
  state: z.enum(eventStates),
  reason: z.string().nullable(),
  occurred_at: moment.nullable(),
  received_at: moment,
  repeats: z.int().min(0),
  body_kept: z.boolean(),
  repeat: z.looseObject({ key: z.string().min(1).max(191) }),
  headers: z.record(z.string(), z.string()),
  // Exports of earlier versions have none of these.
  query: z.string().nullable().default(null),
  left_out: z.array(z.string()).default([]),
  covered: z.array(z.string()).default([]),
  overruled: z.string().nullable().default(null),
  body_base64: z.base64(),
  jobs: z.array(job),
  notes: z.array(note),
});

/** An event of a line of `events export`, and its notes. */
export interface ReadLine {
  readonly event: PastEvent;
  readonly notes: readonly z.infer<typeof note>[];
}

/** A job that has ended well is not stored: an event without jobs that wait or were given up is processed. */
const pastJob = (told: z.infer<typeof job>): PastJob => {
  const { state } = told;
  return {
    kind: told.handler,
    queue: told.queue,
    priority: told.priority,
    maxAttempts: told.max_attempts,
    createdAt: told.created_at,
    // The attempt that was under way has not ended.
    attempt: state === "running" ? Math.max(0, told.attempt - 1) : told.attempt,
    lastError: told.last_error ?? undefined,
    ...(told.order_key === null ? {} : { orderKey: told.order_key }),
    ...(state === "scheduled" && told.due_at !== null ? { dueAt: told.due_at } : {}),
    ...(state === "dead" || state === "cancelled" ? { ended: { state, at: told.finished_at ?? told.created_at } } : {}),
  };
};

const dispositionOf = (state: (typeof eventStates)[number]): PastEvent["disposition"] =>
  state === "ignored" || state === "quarantined" || state === "discarded" ? state : "accepted";

/** Why a line cannot be an event to import, in words for a person. */
const whyNot = (given: unknown, error: z.ZodError): string => {
  const { masked, headers, repeat } = Object(given);
  if (masked === true) return "its payload is masked: export it with a key that has the scope events:reveal";
  if (headers === undefined) return "it has no body: export it without --without-payload";
  if (Object(repeat).key === undefined)
    return "it does not say what its repeats share: export it with this version or a later one";
  const [first] = error.issues;
  return `${first?.path.join(".") ?? ""}: ${first?.message ?? "not as export writes it"}`;
};

/** JSON writes a NUL character, or a lone surrogate, as one of these. */
const mayBeUnstorable = /\\u(?:0000|d[89a-f])/i;

/** A line of JSON. What only some databases store, such as the one it comes from, is replaced in its texts. */
const parsed = (text: string): unknown =>
  mayBeUnstorable.test(text)
    ? JSON.parse(text, (_name, value: unknown) => (typeof value === "string" ? storable(value) : value))
    : JSON.parse(text);

/** Reads a line of `events export`. Returns a text that says why it cannot be one. */
export const readLine = (text: string): ReadLine | string => {
  let given: unknown;
  try {
    given = parsed(text);
  } catch {
    return "it is not JSON";
  }
  const { data, error } = line.safeParse(given);
  if (data === undefined) return whyNot(given, error);
  const body = Buffer.from(data.body_base64, "base64");
  const replaced = new Set(data.jobs.map((one) => one.replay_of));
  const current = data.jobs.filter(({ id, state }) => !replaced.has(id) && state !== "done");
  // Of a job that failed, the list tells the error in place of a reason.
  const isReasonOfJob = data.state === "dead" || data.state === "retrying";
  return {
    notes: data.notes,
    event: {
      provider: data.provider,
      dedupeKey: data.repeat.key,
      eventId: data.event_id ?? undefined,
      type: data.type ?? undefined,
      body,
      bodySha256: createHash("sha256").update(body).digest("hex"),
      bodyKept: data.body_kept,
      headers: data.headers,
      ...(data.query === null ? {} : { query: data.query }),
      ...(data.left_out.length === 0 ? {} : { leftOut: data.left_out }),
      ...(data.covered.length === 0 ? {} : { covered: data.covered }),
      ...(data.overruled === null ? {} : { overruled: data.overruled }),
      occurredAt: data.occurred_at ?? undefined,
      receivedAt: data.received_at,
      disposition: dispositionOf(data.state),
      reason: isReasonOfJob ? undefined : (data.reason ?? undefined),
      repeats: data.repeats,
      // The newest is the first of the list.
      jobs: current.map(pastJob).toReversed(),
    },
  };
};
