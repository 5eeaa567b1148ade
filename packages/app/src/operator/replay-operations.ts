import { timestampOf } from "@postern/core/internal";
import { type ReplayParts, replayEvents } from "@postern/inbox/internal";
import type { Operation } from "@postern/rest";
import type { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { given } from "./given-members.ts";
import { eventScope } from "./wire/actions.ts";
import { matchingOf, requireRange } from "./wire/matching-fields.ts";
import { overrulingOf } from "./wire/overruling-fields.ts";
import { replayBody, replayReport } from "./wire/plan.ts";

/**
 * The events that the body selects. @throws AppError `validation_failed` for an empty range of
 * time.
 */
const filterOf = ({ state, after, ...matching }: z.infer<typeof replayBody>) => {
  requireRange(matching, "");
  return { state, ...given({ ...matchingOf(matching), after: after === undefined ? undefined : Number(after) }) };
};

/** The operation that runs many events again. Answers 202 with a report. */
export const replayOperations = (parts: ReplayParts): readonly Operation[] => [
  adminOperation({
    id: "admin.events.replayMany",
    method: "POST",
    path: "/admin/events/replay",
    scope: eventScope,
    summary: "Run all matching events again, oldest first",
    confirm: "Run these events again? Those that have been processed take effect a second time.",
    checkedAfterSchema: ["invalid_format"],
    body: replayBody,
    success: {
      status: 202,
      description: "Their jobs are waiting to run; with `dry_run` nothing was changed.",
      body: replayReport,
    },
    handle: async ({ body, note, write }) => {
      const { dry_run, force, per_second, limit } = body;
      const overruling = overrulingOf(body);
      const audited = { resource: "event", ...(overruling === undefined ? {} : { fields: ["overruled"] }) };
      const done = await replayEvents(parts, {
        filter: filterOf(body),
        dryRun: dry_run,
        force,
        overruling,
        ...(per_second === undefined ? {} : { perSecond: per_second }),
        limit,
        // Each batch is a transaction of its own. An event that is already running again is not run
        // twice.
        write: (work) =>
          parts.ports.storage.transaction(async ({ events, audit }) => {
            const made = await work(events);
            await note(audit, audited);
            return made;
          }),
      });
      const answer = {
        status: 202,
        body: {
          dry_run,
          matched: done.matched,
          replayed: done.replayed,
          jobs: done.jobs,
          skipped: done.skipped,
          last_due_at: done.lastDueAt === undefined ? null : timestampOf(done.lastDueAt),
          next: done.next === undefined ? null : String(done.next),
        },
      };
      // Keeps the report of all batches under an idempotency key.
      return dry_run ? answer : write(audited, async () => answer);
    },
  }),
];
