import type { Ports, StoredAuditEntry } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
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
import { before, moment } from "./numeric-ids.ts";

const entry = z.object({
  id: z.string(),
  at: moment,
  actor: z.object({
    kind: z.enum(["user", "operator", "anonymous"]),
    id: z.string().nullable().meta({ description: "The user's id, or the operator's name." }),
  }),
  credential: z.string().nullable().meta({ description: "What the actor proved themselves with: `session:…`, `cli`." }),
  action: z.string().meta({ description: "The operation, by its `operationId`, or the event." }),
  resource: z.string().nullable(),
  resource_id: z.string().nullable(),
  result: z.string().meta({ description: "`done`, or the code of the error it ended with." }),
  request_id: z.string(),
  address: z.string(),
  fields: z.array(z.string()).meta({ description: "The fields that were given a value; never the values." }),
});

const present = (stored: StoredAuditEntry): z.infer<typeof entry> => ({
  id: String(stored.id),
  at: timestampOf(stored.at),
  actor: { kind: stored.actor.kind, id: stored.actor.kind === "anonymous" ? null : stored.actor.id },
  credential: stored.credential ?? null,
  action: stored.action,
  resource: stored.resource ?? null,
  resource_id: stored.resourceId ?? null,
  result: stored.result,
  request_id: stored.requestId,
  address: stored.address,
  fields: [...stored.fields],
});

const instant = z.iso.datetime({ offset: true });

/** Who did what. The log is read here and written nowhere but in the transaction of what it tells. */
export const auditOperations = ({ storage }: Pick<Ports, "storage">): readonly Operation[] => [
  defineOperation({
    id: "admin.audit.list",
    method: "GET",
    path: "/admin/audit",
    access: "admin",
    summary: "List what was done, by whom",
    tag: "admin",
    query: z.strictObject({
      ...pageParameters,
      actor: z.string().max(128).optional().meta({ description: "A user's id, or an operator's name." }),
      action: z.string().max(64).optional(),
      resource: z.string().max(64).optional(),
      id: z.string().max(64).optional().meta({ description: "The id of what it was done to." }),
      since: instant.optional().meta({ description: "Not before this moment." }),
      until: instant.optional().meta({ description: "Before this moment." }),
    }),
    list: true,
    success: { status: 200, description: "One page, newest first.", body: listOf(entry) },
    errors: ["invalid_cursor"],
    handle: async (call) => {
      const { limit = defaultLimit, cursor, actor, action, resource, id, since, until } = call.query;
      const entries = await storage.audit.list({
        ...(actor === undefined ? {} : { actorId: actor }),
        ...(action === undefined ? {} : { action }),
        ...(resource === undefined ? {} : { resource }),
        ...(id === undefined ? {} : { resourceId: id }),
        ...(since === undefined ? {} : { since: Date.parse(since) }),
        ...(until === undefined ? {} : { until: Date.parse(until) }),
        ...(await before(call, "audit", cursor)),
        limit: limit + 1,
      });
      return answerList(call.request, entries, limit, present, (last) =>
        call.cursors.sealCursor(cursorFor("audit", last.id)),
      );
    },
  }),
];
