import { AppError } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { EventNote, EventSummary, StoredEvent } from "@postern/core/ports";
import { differenceOf, isTooDeep, payloadOf, type ReplayParts, withIntegers } from "@postern/inbox/internal";
import type { EngineCall, Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { noteReveal } from "./job-operations.ts";
import { noSuch, numericId } from "./numbered.ts";
import { eventScope } from "./wire/actions.ts";
import { difference, eventNote, mostNotes } from "./wire/event.ts";
import { exampleNote } from "./wire/examples.ts";
import { reveal } from "./wire/masking.ts";
import { eventIdText, storableText } from "./wire/texts.ts";

export const presentNote = ({ id, at, author, text }: EventNote): z.infer<typeof eventNote> => ({
  id,
  at: timestampOf(at),
  author,
  text,
});

const authorOf = ({ principal }: Pick<EngineCall, "principal">): string => {
  if (principal === undefined) return "anonymous";
  return principal.kind === "operator" ? principal.name : principal.userId;
};

const addNote: Operation = adminOperation({
  id: "admin.events.note",
  method: "POST",
  path: "/admin/events/{id}/notes",
  scope: eventScope,
  summary: `Note something about a webhook event, for others; up to ${mostNotes} times`,
  checkedAfterSchema: ["invalid_format"],
  body: z.strictObject({ text: storableText(2_000).min(1) }).meta({ examples: [{ text: exampleNote.text }] }),
  success: { status: 201, description: "The note. It is shown with the event.", body: eventNote },
  errors: ["not_found", "state_conflict"],
  handle: async (call) => {
    const eventId = numericId("event", call.params.id);
    const note: EventNote = {
      id: call.newId(),
      eventId,
      at: call.now(),
      author: authorOf(call).slice(0, 128),
      text: call.body.text,
    };
    return call.write({ resource: "event", id: String(eventId), fields: ["note"] }, async ({ events, notes }) => {
      if ((await events.find(eventId)) === undefined) throw noSuch("event");
      if ((await notes.list(eventId, mostNotes)).length === mostNotes) {
        throw new AppError("state_conflict", { detail: `Event ${eventId} has ${mostNotes} notes already.` });
      }
      await notes.add(note);
      const location = `${call.request.base}/admin/events/${eventId}`;
      return { status: 201, headers: { location }, body: presentNote(note) };
    });
  },
});

/** Longer bodies are not compared: to walk through them would hold up other requests. */
const longestCompared = 1024 * 1024;

/** The last event of the same sender and type before this one that was processed. */
const lastGood = async (
  { ports: { storage } }: Pick<ReplayParts, "ports">,
  { id, provider, type }: EventSummary,
): Promise<StoredEvent | undefined> => {
  if (type === undefined) return undefined;
  const [found] = await storage.events.list({ provider, type, state: "processed", before: id, limit: 1 });
  return found === undefined ? undefined : storage.events.find(found.id);
};

/** @throws AppError `state_conflict` for a payload that cannot be compared. */
const comparable = async (
  { providers }: ReplayParts,
  { id, provider, body, headers }: StoredEvent,
): Promise<unknown> => {
  const refused = (why: string): never => {
    throw new AppError("state_conflict", { detail: `Event ${id} cannot be compared: ${why}.` });
  };
  if (body === undefined) return refused("its body was deleted");
  if (body.length > longestCompared) return refused("its body is longer than 1 MiB");
  const payload = payloadOf(await providers.find(provider), body, headers);
  if (payload === undefined) return refused("its body cannot be read");
  return isTooDeep(payload) ? refused("its payload is nested too deep") : withIntegers(payload, "text");
};

const readDifference = (parts: ReplayParts): Operation =>
  adminOperation({
    id: "admin.events.difference",
    method: "GET",
    path: "/admin/events/{id}/difference",
    scope: reveal,
    summary: "Compare the payload of an event with that of the last good event of the same type",
    query: z.strictObject({
      against: eventIdText.optional().meta({
        description: "Another event. Default: the last one before it of the same provider and type that was processed.",
      }),
    }),
    success: { status: 200, description: "Where they differ.", body: difference },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { storage } = parts.ports;
      const id = numericId("event", call.params.id);
      const stored = await storage.events.find(id);
      if (stored === undefined) throw noSuch("event");
      const { against } = call.query;
      const other = against === undefined ? await lastGood(parts, stored) : await storage.events.find(Number(against));
      if (against !== undefined && other === undefined) throw noSuch("event");
      await noteReveal(call, storage.audit, { resource: "event", id: String(id) });
      const { changes, isComplete } =
        other === undefined
          ? { changes: [], isComplete: true }
          : differenceOf(await comparable(parts, other), await comparable(parts, stored));
      return {
        status: 200,
        body: {
          event_id: String(id),
          against:
            other === undefined ? null : { event_id: String(other.id), received_at: timestampOf(other.receivedAt) },
          complete: isComplete,
          changes: changes.map(({ path, kind, before = null, after = null }) => ({ path, kind, before, after })),
        },
      };
    },
  });

/** Operations that help people who look into an event: notes, and what is different about it. */
export const noteOperations = (parts: ReplayParts): readonly Operation[] => [addNote, readDifference(parts)];
