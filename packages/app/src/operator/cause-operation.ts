import type { Ports } from "@postern/core";
import { causeFacts, timestampOf } from "@postern/core/internal";
import type { FailureCause } from "@postern/core/ports";
import { defaultLimit, type EngineCall, listOf, type Operation, pageParameters, presentPage } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { noteReveal } from "./job-operations.ts";
import { cause } from "./wire/cause.ts";
import { maskedError, reveal, revealed } from "./wire/masking.ts";
import { millisecondsOf, moment, orDay } from "./wire/times.ts";

const presentCause = (
  { id, failures, firstAt, lastAt, example }: FailureCause,
  all: number,
  isMasked: boolean,
): z.infer<typeof cause> => {
  const { handler, error = null, message, frames } = causeFacts(example.kind, example.error);
  return {
    id,
    handler,
    error,
    message: isMasked ? maskedError : message,
    frames: [...frames],
    failures,
    share: Math.round((failures / all) * 10_000) / 10_000,
    first_at: timestampOf(firstAt),
    last_at: timestampOf(lastAt),
    example: {
      event_id: example.eventId === undefined ? null : String(example.eventId),
      job_id: String(example.jobId),
      at: timestampOf(example.at),
      error: isMasked ? maskedError : example.error,
    },
  };
};

/** How a caller sees causes: without messages if they may not see payloads. */
const causesFor = (
  call: Pick<EngineCall, "may">,
  { failures, causes }: Awaited<ReturnType<Ports["storage"]["jobRecords"]["causes"]>>,
) => causes.map((one) => presentCause(one, failures, !call.may(reveal)));

/** The operation that says why attempts fail: thousands of failures of a few causes are a few rows. */
export const causeOperation = ({ storage }: Pick<Ports, "storage">): Operation =>
  adminOperation({
    id: "admin.causes.list",
    method: "GET",
    path: "/admin/causes",
    summary: "List the causes of failures, those with most failures first",
    list: true,
    widerScopes: revealed,
    query: z.strictObject({
      limit: pageParameters.limit,
      since: orDay(moment).optional().meta({
        description: "Only failures from this time on. Default: all that are kept.",
      }),
    }),
    success: {
      status: 200,
      description: "Those with most failures. A failure counts for as long as its job is kept.",
      body: listOf(cause),
    },
    handle: async (call) => {
      const { limit = defaultLimit } = call.query;
      const since = millisecondsOf(call.query.since) ?? 0;
      const found = await storage.jobRecords.causes({ since, limit });
      if (found.causes.length > 0) await noteReveal(call, storage.audit, { resource: "job" });
      return {
        status: 200,
        body: presentPage({ data: causesFor(call, found), limit, next: null, prev: null }),
      };
    },
  });
