import { eventStates } from "@postern/core/ports";
import { mostEventsSearched } from "@postern/inbox/internal";
import { z } from "zod";
import { actions } from "./actions.ts";
import { exampleDifference, exampleEvent, exampleEventInFull, exampleNote, exampleSearch } from "./examples.ts";
import { namedJob } from "./job.ts";
import { moment } from "./times.ts";

export const event = z.object({
  id: z.string(),
  provider: z.string(),
  event_id: z.string().nullable().meta({ description: "The sender's own id." }),
  type: z.string().nullable(),
  state: z.enum(eventStates),
  reason: z.string().nullable().meta({
    description:
      "Why it was quarantined, ignored or discarded, or in one line the last error of the handler that gave it up or will try it again. Else, if its signed bytes came before under another id that is not signed, that id.",
  }),
  occurred_at: moment.nullable().meta({ description: "The sender's own time." }),
  received_at: moment,
  repeats: z.int().meta({ description: "How often the sender delivered it again." }),
  body_kept: z
    .boolean()
    .meta({ description: "False once its body and headers were deleted. It can then no longer be replayed." }),
  actions,
});

export const listedEvent = event.meta({ examples: [exampleEvent] });

export const forward = z.object({
  handler: z.string(),
  attempt: z.int(),
  at: moment,
  ms: z.int(),
  status: z.int().nullable().meta({ description: "The status of the target's answer; null if it did not answer." }),
  headers: z.record(z.string(), z.string()),
  body: z.string().meta({ description: "The beginning of the answer." }),
  error: z.string().nullable(),
});

export const repeat = z
  .object({
    by: z.enum(["id", "unsigned_id", "body", "none"]).meta({
      description:
        "An id that the sender's proof covers, an id that it does not cover, the body, or none: then every delivery is an event of its own.",
    }),
    window_seconds: z.int().nullable().meta({
      description: "For how many seconds the same body was a repeat; null for as long as the event is kept.",
    }),
    key: z.string().max(256).nullable().meta({
      description: "The text that repeats of the event share. Null if you may not see payloads.",
    }),
  })
  .meta({ description: "On what it was decided, when the event came, which deliveries are repeats of it." });

/** So many notes an event may have. */
export const mostNotes = 50;

/** A note as a person sees it. */
export const eventNote = z
  .object({
    id: z.string(),
    at: moment,
    author: z.string().meta({ description: "The id of a user, or the name of an operator." }),
    text: z.string(),
  })
  .meta({ id: "event_note", examples: [exampleNote] });

export const eventInFull = event
  .extend({
    repeat,
    headers: z.record(z.string(), z.string()).meta({
      description: "The headers that are kept. Only those that `covered` names are signed.",
    }),
    query: z.string().nullable().meta({
      description: "The query of the sender's URL, without credentials. It is signed if `covered` names `url`.",
    }),
    left_out: z.array(z.string()).meta({
      description: "What was not kept because it was too long or too much: `header:<name>`, `query`.",
    }),
    covered: z.array(z.string()).meta({
      description:
        "What the sender's proof covers: `body`, `url`, `header:<name>`, `field:<name>`, …; `sender` if only the sender is proved. Empty if the provider is not configured any more.",
    }),
    overruled: z.string().nullable().meta({
      description: "Why it was quarantined, if an operator said that it runs all the same.",
    }),
    metadata: z
      .object({
        delivery_id: z
          .string()
          .nullable()
          .meta({ description: "The sender's id of the delivery, or else of the event." }),
        attempt: z.int().nullable().meta({ description: "How many times the sender has tried, by its own count." }),
        sent_at: moment.nullable().meta({ description: "When the sender signed it." }),
        api_version: z.string().nullable().meta({ description: "The version of the sender's API." }),
        rest: z
          .record(z.string(), z.unknown())
          .meta({ description: "The payload without its data; empty if the whole payload is the data." }),
      })
      .meta({ description: "What the sender tells in addition to the data. The signature may not cover it." }),
    data: z.unknown().meta({
      description: "What the event is about: the part of the payload that the sender's scheme names, or all of it.",
    }),
    payload: z.unknown().meta({ description: "The whole body, if it is JSON or the scheme can read it." }),
    body_base64: z.string().meta({ description: "Exactly the bytes that were signed; empty after they were deleted." }),
    masked: z.boolean().meta({
      description: "True if you may not see payloads: headers, bodies and the answers of targets are left out.",
    }),
    forwards: z.array(forward).meta({ description: "The answers of targets, newest first." }),
    jobs: z.array(namedJob),
    notes: z.array(eventNote).meta({ description: "What people have noted about it, oldest first." }),
  })
  .meta({ id: "event_in_full", examples: [exampleEventInFull] });

export const exportedPage = z
  .object({
    events: z.array(eventInFull).max(100),
    next: z.string().nullable().meta({ description: "Send it as `before` for the next page; null at the end." }),
  })
  .meta({ examples: [{ events: [exampleEventInFull], next: exampleEvent.id }] });

export const difference = z
  .object({
    event_id: z.string(),
    against: z
      .object({ event_id: z.string(), received_at: moment })
      .nullable()
      .meta({ description: "The event that it is compared with; null if there is none." }),
    complete: z.boolean().meta({ description: "False if there are more than 200 changes." }),
    changes: z
      .array(
        z.object({
          path: z.string().meta({ description: "A JSON Pointer (RFC 6901)." }),
          kind: z.enum(["added", "removed", "changed"]),
          before: z.string().nullable().meta({ description: "As JSON, up to 200 characters." }),
          after: z.string().nullable(),
        }),
      )
      .meta({ description: "What this event has otherwise. Elements of lists are compared place by place." }),
  })
  .meta({ examples: [exampleDifference] });

export const searchAnswer = z
  .object({
    events: z.array(listedEvent).max(100).meta({ description: "Newest first." }),
    looked_at: z
      .int()
      .min(0)
      .max(mostEventsSearched)
      .meta({ description: "How many events that fit the filters were looked at, newest first." }),
    without_body: z.int().min(0).max(mostEventsSearched).meta({
      description: "How many of these have no body any more, because its retention is over. They are not found.",
    }),
    back_to: moment.nullable().meta({ description: "When the last of these was received." }),
    complete: z.boolean().meta({ description: "Whether all events that fit the filters were looked at." }),
    next: z.string().nullable().meta({ description: "Send it as `before` to go on where this search ended." }),
  })
  .meta({ examples: [exampleSearch] });
