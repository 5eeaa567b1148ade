import { AppError, type Storage } from "@postern/core";
import { firstLineOf, timestampOf, waitingStates } from "@postern/core/internal";
import type { EventSummary, ForwardAttempt, Job, StoredEvent } from "@postern/core/ports";
import type { EventMetadata } from "@postern/inbox";
import {
  dataOf,
  isTooDeep,
  metadataOf,
  nothingMade,
  payloadOf,
  planReplay,
  type ReplayParts,
  storedRepeat,
  whyNotDiscarded,
  withIntegers,
} from "@postern/inbox/internal";
import { defaultLimit, type EngineCall, type Operation, pageParameters } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { type EventParts, eventFilterFor, eventFilters } from "./event-filters.ts";
import { jobsFor, noteReveal } from "./job-operations.ts";
import { presentNote } from "./note-operations.ts";
import { noSuch, numberedList, numericId } from "./numbered.ts";
import { actionsOfEvent, eventScope } from "./wire/actions.ts";
import {
  type event,
  eventInFull,
  exportedPage,
  type forward,
  listedEvent,
  mostNotes,
  type repeat,
} from "./wire/event.ts";
import { exampleEvent } from "./wire/examples.ts";
import { maskedError, reveal, revealed } from "./wire/masking.ts";
import { checkOverruling, operatorReason, overrulingFields, overrulingOf } from "./wire/overruling-fields.ts";
import { eventIdText } from "./wire/texts.ts";
import { momentOf } from "./wire/times.ts";

const presentForward = ({ eventId: _event, at, status, error, ...rest }: ForwardAttempt): z.infer<typeof forward> => ({
  ...rest,
  at: timestampOf(at),
  status: status ?? null,
  error: error ?? null,
});

/** How many jobs of an event are looked at and shown. */
const maxJobsShown = 100;

/** The newest job of an event whose error says why the event is where it is. */
const failedJobOf = async ({ jobRecords }: Storage, { id, state }: EventSummary): Promise<Job | undefined> => {
  if (state === "dead") return (await jobRecords.list({ eventId: id, state, limit: 1 }))[0];
  const jobs = await jobRecords.list({ eventId: id, limit: maxJobsShown });
  return jobs.find((job) => job.lastError !== undefined && job.finishedAt === undefined);
};

/**
 * Why events are dead or tried again: the last error of the handler that gave up or failed, for
 * callers who may see payloads.
 */
export const reasonsOf = async (
  { ports: { storage } }: ReplayParts,
  call: Pick<EngineCall, "may">,
  events: readonly EventSummary[],
): Promise<ReadonlyMap<number, string>> => {
  const failed = events.filter(({ state }) => state === "dead" || state === "retrying");
  const found = await Promise.all(
    failed.map(async (one) => {
      const job = await failedJobOf(storage, one);
      return job?.lastError === undefined
        ? []
        : ([[one.id, `${job.kind}: ${call.may(reveal) ? firstLineOf(job.lastError) : maskedError}`]] as const);
    }),
  );
  return new Map(found.flat());
};

export const presentEvent = (
  call: Pick<EngineCall, "may">,
  stored: EventSummary,
  whyFailed?: string,
): z.infer<typeof event> => ({
  id: String(stored.id),
  provider: stored.provider,
  event_id: stored.eventId ?? null,
  type: stored.type ?? null,
  state: stored.state,
  reason: whyFailed ?? stored.reason ?? null,
  occurred_at: momentOf(stored.occurredAt),
  received_at: timestampOf(stored.receivedAt),
  repeats: stored.repeats,
  body_kept: stored.bodyKept,
  actions: actionsOfEvent(call, stored),
});

/** The parts that only callers who may see payloads get. */
type PartNames = "headers" | "query" | "left_out" | "metadata" | "data" | "payload";

/**
 * Metadata, data and payload, separated as the event's scheme says. They are computed, not stored.
 */
const partsOf = async (
  { providers }: ReplayParts,
  stored: StoredEvent,
): Promise<Pick<z.infer<typeof eventInFull>, PartNames>> => {
  const provider = await providers.find(stored.provider);
  const read = stored.body === undefined ? undefined : payloadOf(provider, stored.body, stored.headers);
  // This payload cannot be written as JSON. The answer contains its bytes anyway.
  const payload = isTooDeep(read) ? undefined : withIntegers(read, "text");
  const scheme = provider?.verifier.scheme;
  return {
    headers: stored.headers,
    query: stored.query ?? null,
    left_out: [...(stored.leftOut ?? [])],
    metadata: presentMetadata(metadataOf(scheme, stored, payload)),
    data: dataOf(scheme, payload) ?? null,
    payload: payload ?? null,
  };
};

const presentRepeat = ({ dedupeKey }: StoredEvent, masked: boolean): z.infer<typeof repeat> => {
  const { by, windowSeconds } = storedRepeat(dedupeKey);
  const key = masked ? null : dedupeKey;
  return { by: by === "unsigned-id" ? "unsigned_id" : by, window_seconds: windowSeconds ?? null, key };
};

const presentMetadata = (told: EventMetadata): z.infer<typeof eventInFull>["metadata"] => ({
  delivery_id: told.deliveryId ?? null,
  attempt: told.attempt ?? null,
  sent_at: momentOf(told.sentAt),
  api_version: told.apiVersion ?? null,
  rest: told.rest,
});

/** An event without the parts that only callers who may see payloads get. */
const maskedParts = ({ eventId, occurredAt }: StoredEvent): Pick<z.infer<typeof eventInFull>, PartNames> => ({
  headers: {},
  query: null,
  left_out: [],
  metadata: presentMetadata(metadataOf(undefined, { eventId, occurredAt, headers: {} }, undefined)),
  data: null,
  payload: null,
});

const listEvents = (parts: EventParts): Operation => {
  const { events } = parts.ports.storage;
  return numberedList<EventSummary>({
    id: "admin.events.list",
    path: "/admin/events",
    summary: "List webhook events",
    item: listedEvent,
    name: "event",
    filters: eventFilters,
    checkedAfterSchema: ["invalid_format"],
    read: async (filters, border) => events.list({ ...(await eventFilterFor(parts, filters)), ...border }),
    count: async (filters, atMost) => events.count(await eventFilterFor(parts, filters), atMost),
    widerScopes: revealed,
    present: async (found, call) => {
      const reasons = await reasonsOf(parts, call, found);
      if (reasons.size > 0) await noteReveal(call, parts.ports.storage.audit, { resource: "event" });
      return found.map((stored) => presentEvent(call, stored, reasons.get(stored.id)));
    },
  });
};

/** An event as its reader may see it. Note that it is read before. */
const presentInFull = async (
  parts: ReplayParts,
  call: Pick<EngineCall, "may">,
  stored: StoredEvent,
): Promise<z.infer<typeof eventInFull>> => {
  const { forwards, jobRecords, notes } = parts.ports.storage;
  const { id } = stored;
  const masked = !call.may(reveal);
  const [sentOn, jobs, noted, reasons] = await Promise.all([
    forwards.list(id, maxJobsShown),
    jobRecords.list({ eventId: id, limit: maxJobsShown }),
    notes.list(id, mostNotes),
    reasonsOf(parts, call, [stored]),
  ]);
  const forwarded = sentOn.map(presentForward);
  const summary = presentEvent(call, stored, reasons.get(id));
  // Of a dead event another job may still be to run, and then it is not discarded.
  const isToRun = jobs.some(({ state }) => waitingStates.includes(state));
  return {
    ...summary,
    actions: summary.actions.filter((action) => action !== "admin.events.discard" || !isToRun),
    repeat: presentRepeat(stored, masked),
    covered: [...(stored.covered ?? (await parts.providers.find(stored.provider))?.verifier.scheme.covered ?? [])],
    overruled: stored.overruled ?? null,
    ...(masked ? maskedParts(stored) : await partsOf(parts, stored)),
    body_base64: masked ? "" : z.util.uint8ArrayToBase64(stored.body ?? new Uint8Array()),
    masked,
    jobs: jobs.map(jobsFor(call, new Map([[id, stored.provider]]))),
    notes: noted.map(presentNote),
    forwards: masked ? forwarded.map((one) => ({ ...one, headers: {}, body: "" })) : forwarded,
  };
};

const readEvent = (parts: ReplayParts): Operation =>
  adminOperation({
    id: "admin.events.read",
    method: "GET",
    path: "/admin/events/{id}",
    summary: "Read a webhook event with its body and its jobs",
    widerScopes: { [reveal]: "headers, bodies, answers of targets and errors of handlers" },
    success: { status: 200, description: "The event.", body: eventInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const id = numericId("event", call.params.id);
      const stored = await parts.ports.storage.events.find(id);
      if (stored === undefined) throw noSuch("event");
      await noteReveal(call, parts.ports.storage.audit, { resource: "event", id: String(id) });
      return { status: 200, body: await presentInFull(parts, call, stored) };
    },
  });

/** A page of an export ends behind the event with which its bodies have so many bytes. */
const exportedBytes = 4 * 1024 * 1024;
/** So many events are read at once, so that what is read in vain stays small. */
const readAtOnce = 8;

/** The first of these events, in their order, as many as a page of an export has. */
const pageInFull = async (
  parts: EventParts,
  call: Pick<EngineCall, "may">,
  listed: readonly EventSummary[],
): Promise<{ readonly shown: readonly z.infer<typeof eventInFull>[]; readonly last: number | undefined }> => {
  const shown: z.infer<typeof eventInFull>[] = [];
  let bytes = 0;
  let last: number | undefined;
  for (let at = 0; at < listed.length; at += readAtOnce) {
    const ids = listed.slice(at, at + readAtOnce).map(({ id }) => id);
    const loaded = new Map((await parts.ports.storage.events.load(ids)).map((stored) => [stored.id, stored]));
    const fitting: StoredEvent[] = [];
    for (const id of ids) {
      if (bytes >= exportedBytes) break;
      last = id;
      const stored = loaded.get(id);
      if (stored === undefined) continue;
      bytes += stored.body?.length ?? 0;
      fitting.push(stored);
    }
    shown.push(...(await Promise.all(fitting.map((stored) => presentInFull(parts, call, stored)))));
    if (bytes >= exportedBytes) break;
  }
  return { shown, last };
};

const exportEvents = (parts: EventParts): Operation =>
  adminOperation({
    id: "admin.events.export",
    method: "GET",
    path: "/admin/events/export",
    summary: "Read many webhook events with their bodies and their jobs",
    query: z.strictObject({
      ...z.object(eventFilters).partial().shape,
      before: eventIdText.optional().meta({ description: "Only events before this one: `next` of the previous page." }),
      limit: pageParameters.limit,
    }),
    errors: ["invalid_filter"],
    checkedAfterSchema: ["invalid_format"],
    widerScopes: { [reveal]: "headers, bodies, answers of targets and errors of handlers" },
    success: {
      status: 200,
      description: "One page, newest first. It also ends behind the event with which its bodies have 4 MiB.",
      body: exportedPage,
    },
    handle: async (call) => {
      const { before, limit = defaultLimit, ...filters } = call.query;
      const { events, audit } = parts.ports.storage;
      const border = before === undefined ? {} : { before: Number(before) };
      const listed = await events.list({ ...(await eventFilterFor(parts, filters)), ...border, limit: limit + 1 });
      const { shown, last } = await pageInFull(parts, call, listed.slice(0, limit));
      const [first] = shown;
      // One entry for all of them: the first, the last, and how many.
      const id = shown.length < 2 ? first?.id : `${first?.id}-${shown.at(-1)?.id}:${shown.length}`;
      if (id !== undefined) await noteReveal(call, audit, { resource: "event", id });
      const isEnd = last === undefined || last === listed.at(-1)?.id;
      return { status: 200, body: { events: shown, next: isEnd ? null : String(last) } };
    },
  });

const replayEvent = (parts: ReplayParts): Operation =>
  adminOperation({
    id: "admin.events.replay",
    method: "POST",
    path: "/admin/events/{id}/replay",
    scope: eventScope,
    summary: "Run a dead, cancelled, ignored, quarantined or discarded event again",
    confirm: "Run the event {id} again? If it has been processed, its handlers take effect a second time.",
    bodyOptional: true,
    checkedAfterSchema: ["invalid_format"],
    body: checkOverruling(
      z.strictObject({
        force: z.boolean().default(false).meta({ description: "Also replays an event that has been processed." }),
        ...overrulingFields,
      }),
    ).meta({ examples: [{ force: false }] }),
    success: {
      status: 202,
      description: "Its jobs are waiting to run.",
      body: z.object({ id: z.string(), jobs: z.int() }).meta({ examples: [{ id: exampleEvent.id, jobs: 1 }] }),
    },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { force } = call.body;
      const overruling = overrulingOf(call.body);
      const plan = await planReplay(parts, numericId("event", call.params.id), { force, overruling });
      const id = String(plan.id);
      const fields = overruling === undefined ? undefined : { fields: ["overruled"] };
      const answer = await call.write({ resource: "event", id, ...fields }, async ({ events }) => {
        const [jobs = 0] = await events.replay([plan], { includeDone: force, now: call.now() });
        if (jobs === 0) {
          throw new AppError("state_conflict", { detail: `Event ${id} cannot be replayed: ${nothingMade}.` });
        }
        return { status: 202, body: { id, jobs } };
      });
      parts.ports.wakeup.notify();
      return answer;
    },
  });

const discardEvent: Operation = adminOperation({
  id: "admin.events.discard",
  method: "POST",
  path: "/admin/events/{id}/discard",
  scope: eventScope,
  summary: "Give up a dead, cancelled, ignored or quarantined event; only a replay takes that back",
  confirm: "Discard the event {id}? No handler runs for it any more; only a replay takes that back.",
  checkedAfterSchema: ["invalid_format"],
  body: z.strictObject({ reason: operatorReason }),
  success: { status: 204, description: "It is discarded." },
  errors: ["not_found", "state_conflict"],
  handle: async (call) => {
    const id = numericId("event", call.params.id);
    const note = { resource: "event", id: String(id), fields: ["reason"] };
    return call.write(note, async ({ events }) => {
      const [isDone] = await events.discard([id], { reason: call.body.reason, now: call.now() });
      if (isDone === true) return { status: 204 };
      const event = await events.find(id);
      if (event === undefined) throw noSuch("event");
      throw new AppError("state_conflict", { detail: `Event ${id} cannot be discarded: ${whyNotDiscarded(event)}.` });
    });
  },
});

/** Operations that show webhook events, run them again and give them up. */
export const eventOperations = (parts: EventParts): readonly Operation[] => [
  listEvents(parts),
  exportEvents(parts),
  readEvent(parts),
  replayEvent(parts),
  discardEvent,
];
