import { AppError } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { Alert, AuditLog, FeedEntry } from "@postern/core/ports";
import type { EngineCall, Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { presentEvent } from "./event-operations.ts";
import { type Feed, type FeedNews, type FeedPosition, mostFeedReaders } from "./feed/feed.ts";
import { noteReveal } from "./job-operations.ts";
import { maskedError, reveal } from "./wire/masking.ts";

const kinds = ["event", "job", "alert"] as const;

const isKind = (text: string): text is (typeof kinds)[number] => kinds.some((kind) => kind === text);

/** The number of a commit and, unless all of it was sent, of the last entry in it. */
const positionText = z
  .string()
  .max(32)
  .regex(/^\d{1,15}(-\d{1,15})?$/, { error: "the id of an entry of the feed" });

const query = z.strictObject({
  kind: z
    .string()
    .max(64)
    .transform((text) => text.split(","))
    .refine((wanted) => wanted.every(isKind), { error: `of ${kinds.join(", ")}` })
    .optional()
    .meta({
      description: "Only these kinds, comma-separated: `event`, `job`, `alert`.",
      // Documents describe it as a list, and not as the text in which it arrives.
      ...{ type: "array", items: { type: "string", enum: kinds }, minItems: 1, maxItems: kinds.length },
      maxLength: undefined,
    }),
  provider: z
    .string()
    .max(64)
    .optional()
    .meta({ description: "Only events of this sender, their jobs, and alerts about it." }),
  type: z.string().max(128).optional().meta({ description: "Only events of this type, and no jobs or alerts." }),
  after: positionText.optional().meta({
    description: "Go on behind this entry, as `Last-Event-ID` does. `0` begins with the oldest that is kept.",
  }),
});

const description = `Server-sent events, for as long as you stay:

- \`event\`: an event was stored; as \`GET /admin/events\` lists it, in the state of the moment.
- \`job\`: an attempt failed: \`id\`, \`event_id\`, \`provider\`, \`handler\`, \`attempt\`, \`state\` (\`scheduled\` is tried again), \`error\`, \`at\`.
- \`alert\`: \`kind\`, \`text\`, \`details\`, \`at\`.
- \`reset\`: what came behind your \`Last-Event-ID\` is no longer known. List the events instead.

Send the last \`id\` as \`Last-Event-ID\`, to any node: nothing is missed and nothing comes twice. Entries are kept for a day. A comment comes every 15 seconds. After 10 minutes the answer ends, so that you show your key again. A process has at most ${mostFeedReaders} readers.`;

const positionOf = (text: string | undefined): FeedPosition | undefined => {
  if (text === undefined) return undefined;
  const [place = 0, part = Number.MAX_SAFE_INTEGER] = text.split("-").map(Number);
  return { place, part };
};

const textOf = ({ place, part }: FeedPosition): string =>
  part === Number.MAX_SAFE_INTEGER ? `${place}` : `${place}-${part}`;

const block = (event: string, data: unknown, position: FeedPosition): string =>
  `event: ${event}\nid: ${textOf(position)}\ndata: ${JSON.stringify(data)}\n\n`;

type Told = Extract<FeedNews, { kind: "entries" }>["entries"][number];

/** Alerts that quote the error of a handler, and what they say to a caller who may not see payloads. */
const quoting: Readonly<Record<string, string>> = {
  "job.dead": "has given up on a job.",
  "job.failed_after_commit": "failed on a job after it had committed.",
};

const maskedAlert = (alert: Alert): Alert => {
  const said = quoting[alert.kind];
  return said === undefined ? alert : { ...alert, text: `${alert.details.kind} ${said} ${maskedError}` };
};

const presented = ({ entry, at }: Told, call: Pick<EngineCall, "may">): unknown => {
  const mayReveal = call.may(reveal);
  if (entry.kind === "event") return presentEvent(call, entry.event);
  if (entry.kind === "alert") {
    return { ...(mayReveal ? entry.alert : maskedAlert(entry.alert)), at: timestampOf(at) };
  }
  const { id, eventId, provider, kind, attempt, state, error } = entry.job;
  return {
    id: String(id),
    event_id: eventId === undefined ? null : String(eventId),
    provider: provider ?? null,
    handler: kind,
    attempt,
    state,
    error: mayReveal ? error : maskedError,
    at: timestampOf(at),
  };
};

/** What a reader is sent for what happened; `undefined` at the end. */
const written = (news: FeedNews, call: Pick<EngineCall, "may">): string | undefined => {
  switch (news.kind) {
    case "entries":
      return news.entries.map((told) => block(told.entry.kind, presented(told, call), told)).join("");
    case "quiet":
      // An id without data moves the reader on, and no listener is called.
      return `: heartbeat\nid: ${textOf(news.position)}\n\n`;
    case "reset":
      return block("reset", { text: "What came before is no longer known." }, news.position);
    case "end":
      return undefined;
  }
};

const wanting = (asked: z.infer<typeof query>) => {
  const { kind: wanted, provider, type } = asked;
  return (entry: FeedEntry): boolean => {
    if (wanted !== undefined && !wanted.includes(entry.kind)) return false;
    if (type !== undefined && !(entry.kind === "event" && entry.event.type === type)) return false;
    if (provider === undefined) return true;
    if (entry.kind === "event") return entry.event.provider === provider;
    return (entry.kind === "job" ? entry.job.provider : entry.alert.details.provider) === provider;
  };
};

/** The operation that tells what happens, as it happens. */
export const feedOperation = (feed: Pick<Feed, "open">, audit: AuditLog): Operation =>
  adminOperation({
    id: "admin.feed.read",
    method: "GET",
    path: "/admin/feed",
    summary: "Follow events, failed jobs and alerts as they happen",
    widerScopes: { [reveal]: "errors of handlers" },
    query,
    success: { status: 200, description, body: z.string(), contentType: "text/event-stream" },
    errors: ["invalid_parameter"],
    handle: async (call: EngineCall<z.infer<typeof query>>) => {
      const after = call.request.lastEventId ?? call.query.after;
      if (after !== undefined && !positionText.safeParse(after).success) {
        throw new AppError("malformed_header", { detail: "`Last-Event-ID` is no id of an entry of the feed." });
      }
      await noteReveal(call, audit, { resource: "event" });
      const position = positionOf(after);
      const options = { wants: wanting(call.query), ...(position === undefined ? {} : { after: position }) };
      // Before the head is sent, so that one reader too many gets an error.
      const reader = feed.open(options);
      // Told at once, so that the reader knows that it is connected.
      let first: string | undefined = ": connected\nretry: 1000\n\n";
      const next = async (): Promise<string | undefined> => {
        const text = first ?? written(await reader.next(), call);
        first = undefined;
        if (text === undefined) reader.end();
        return text;
      };
      return {
        status: 200,
        headers: {
          "content-type": "text/event-stream; charset=utf-8",
          "cache-control": "no-store",
          // Proxies of nginx would hold back what is short.
          "x-accel-buffering": "no",
        },
        stream: { next, end: reader.end },
      };
    },
  });
