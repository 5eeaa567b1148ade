import { mostEventsSearched, searchEvents } from "@postern/inbox/internal";
import { defaultLimit, type Operation, pageParameters } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { type EventParts, eventFilterFor, eventFilters } from "./event-filters.ts";
import { presentEvent, reasonsOf } from "./event-operations.ts";
import { noteReveal } from "./job-operations.ts";
import { searchAnswer } from "./wire/event.ts";
import { reveal } from "./wire/masking.ts";
import { eventIdText } from "./wire/texts.ts";
import { momentOf } from "./wire/times.ts";

const query = z.strictObject({
  text: z.string().min(1).max(200).meta({
    description:
      "The payload contains it as the sender sent it, byte for byte in UTF-8: a sender may write `ü` as `\\u00fc`. Case counts.",
  }),
  ...z.object(eventFilters).partial().shape,
  before: eventIdText.optional().meta({ description: "Only events before this one: `next` of the previous search." }),
  limit: pageParameters.limit,
});

/**
 * The operation that finds events by text in their payload. It tells what payloads contain, so it
 * needs the scope for seeing them.
 */
export const searchOperation = (parts: EventParts): Operation =>
  adminOperation({
    id: "admin.events.search",
    method: "GET",
    path: "/admin/events/search",
    scope: reveal,
    summary: "Search webhook events by text in their payload",
    query,
    errors: ["invalid_filter"],
    checkedAfterSchema: ["invalid_format"],
    success: {
      status: 200,
      description: `What was found, and how far the search came: it ends after ${mostEventsSearched.toLocaleString("en")} events or 2 seconds.`,
      body: searchAnswer,
    },
    handle: async (call) => {
      const { text, before, limit = defaultLimit, ...filters } = call.query;
      await noteReveal(call, parts.ports.storage.audit, { resource: "event" });
      const answer = await searchEvents(parts.ports, {
        filter: await eventFilterFor(parts, filters),
        text,
        limit,
        ...(before === undefined ? {} : { before: Number(before) }),
      });
      const reasons = await reasonsOf(parts, call, answer.found);
      return {
        status: 200,
        body: {
          events: answer.found.map((stored) => presentEvent(call, stored, reasons.get(stored.id))),
          looked_at: answer.looked,
          without_body: answer.withoutBody,
          back_to: momentOf(answer.backTo),
          complete: answer.next === undefined,
          next: answer.next === undefined ? null : String(answer.next),
        },
      };
    },
  });
