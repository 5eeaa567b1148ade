import { AppError, type Ports } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { RefusalFilter, RefusedDelivery } from "@postern/core/ports";
import { type ReplayParts, refusalsKept, traceOfEvent } from "@postern/inbox/internal";
import { type EngineCall, keyedList, type Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { given } from "./given-members.ts";
import { noteReveal } from "./job-operations.ts";
import { noSuch, numericId } from "./numbered.ts";
import { presentTrace } from "./present-trace.ts";
import { exampleRefusal } from "./wire/examples.ts";
import { reveal } from "./wire/masking.ts";
import { refusal, refusalInFull } from "./wire/refusal.ts";
import { nameText } from "./wire/texts.ts";
import { millisecondsOf, moment, orDay } from "./wire/times.ts";
import { verificationTrace } from "./wire/trace.ts";

const presentRefusal = (stored: RefusedDelivery, isMasked: boolean): z.infer<typeof refusal> => ({
  id: stored.id,
  provider: stored.provider,
  reason: stored.reason,
  message: stored.trace.message ?? null,
  hint: stored.trace.hint ?? null,
  refused_at: timestampOf(stored.at),
  request_id: stored.requestId,
  address: isMasked ? null : (stored.address ?? null),
  bytes: stored.bytes,
  unkept: stored.unkept,
  body_kept: stored.body !== undefined,
});

const filters = {
  "filter[provider]": nameText(64),
  "filter[reason]": nameText(64),
  "filter[refused_at][gte]": orDay(moment).meta({ description: "Only those refused at this time or later." }),
  "filter[refused_at][lt]": orDay(moment).meta({ description: "Only those refused before this time." }),
};

const filterOf = (asked: Readonly<Record<string, unknown>>): RefusalFilter => {
  const wanted = z.object(filters).partial().parse(asked);
  return given({
    provider: wanted["filter[provider]"],
    reason: wanted["filter[reason]"],
    since: millisecondsOf(wanted["filter[refused_at][gte]"]),
    until: millisecondsOf(wanted["filter[refused_at][lt]"]),
  });
};

const kept = `The last ${refusalsKept.toLocaleString("en")} are kept, for a day; of a flood, ten at once and then one a second of each provider and reason.`;
const widerScopes = { [reveal]: "addresses, values of headers and bodies" };

const listRefusals = ({ storage: { refusals } }: Pick<Ports, "storage">, flush: () => Promise<void>): Operation =>
  keyedList<RefusedDelivery, string>({
    id: "admin.refusals.list",
    path: "/admin/refusals",
    summary: "List deliveries that were refused, and why",
    description: `One page, newest first unless \`sort\` says otherwise. ${kept}`,
    item: refusal.meta({ examples: [exampleRefusal] }),
    name: "refusal",
    key: { member: "id", usual: "falling", first: "" },
    filters,
    checkedAfterSchema: ["invalid_format"],
    widerScopes,
    read: async (asked, border) => {
      await flush();
      return refusals.list({ ...filterOf(asked), ...border });
    },
    count: (asked, atMost) => refusals.count(filterOf(asked), atMost),
    keyOf: ({ id }) => id,
    present: async (found, call) => found.map((one) => presentRefusal(one, !call.may(reveal))),
  });

const noSuchRefusal = (): AppError =>
  new AppError("not_found", { detail: "There is no such refusal, or it is kept no longer." });

const idOf = ({ params: { id = "" } }: Pick<EngineCall, "params">): string => {
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw noSuchRefusal();
};

const readRefusal = ({ storage: { refusals, audit } }: Pick<Ports, "storage">): Operation =>
  adminOperation({
    id: "admin.refusals.read",
    method: "GET",
    path: "/admin/refusals/{id}",
    summary: "Read how a delivery was verified that was refused, and what to do",
    widerScopes,
    success: { status: 200, description: "The refusal.", body: refusalInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const stored = await refusals.find(idOf(call));
      if (stored === undefined) throw noSuchRefusal();
      const masked = !call.may(reveal);
      if (stored.body !== undefined) await noteReveal(call, audit, { resource: "refusal", id: stored.id });
      return {
        status: 200,
        body: {
          ...presentRefusal(stored, masked),
          trace: presentTrace(stored.trace, masked),
          body_base64: masked || stored.body === undefined ? "" : z.util.uint8ArrayToBase64(stored.body),
          masked,
        },
      };
    },
  });

const readTrace = ({ ports: { storage }, providers }: ReplayParts): Operation =>
  adminOperation({
    id: "admin.events.trace",
    method: "GET",
    path: "/admin/events/{id}/trace",
    summary: "Read how a stored webhook event was verified",
    widerScopes: { [reveal]: "values of headers and of the key of repeats" },
    success: {
      status: 200,
      description: "From what is kept of it. Its signature is not kept.",
      body: verificationTrace,
    },
    errors: ["not_found"],
    handle: async (call) => {
      const id = numericId("event", call.params.id);
      const stored = await storage.events.find(id);
      if (stored === undefined) throw noSuch("event");
      await noteReveal(call, storage.audit, { resource: "event", id: String(id) });
      const provider = await providers.find(stored.provider);
      return { status: 200, body: presentTrace(await traceOfEvent(provider, stored), !call.may(reveal)) };
    },
  });

/** Operations that say how deliveries were verified: those that were refused, and those that are stored. */
export const refusalOperations = (parts: ReplayParts, flush: () => Promise<void>): readonly Operation[] => [
  listRefusals(parts.ports, flush),
  readRefusal(parts.ports),
  readTrace(parts),
];
