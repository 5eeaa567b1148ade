import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { PlanFilter, PlanState, SkippedEvents, StoredPlan } from "@postern/core/ports";
import { mostEventsPreviewed, previewPlan, type ReplayParts } from "@postern/inbox/internal";
import { type Call, defineOperation, keyedList, type Operation } from "@postern/rest";
import { z } from "zod";
import type { EventPlans } from "../plans/event-plans.ts";
import { eventStates } from "./event-filters.ts";
import { examplePlan } from "./examples.ts";
import { given } from "./given-members.ts";
import { maskedError, noteReveal, reveal } from "./job-operations.ts";
import { matchingFields } from "./matching-fields.ts";
import { storableText } from "./text-schemas.ts";
import { millisecondsOf, moment, momentOf } from "./times.ts";

const states = ["planned", "running", "paused", "done", "cancelled"] as const satisfies readonly PlanState[];

/** The rate of a plan that names none, in events per second. */
const usualRate = 50;
const remainingAtMost = 10_000;

const filter = z.strictObject({
  state: z.enum(eventStates).optional(),
  ...matchingFields,
  received_before: moment.optional().meta({
    description: "Received before this time. Default: when the plan is made, so later events do not belong to it.",
  }),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description: `Only events whose payload contains it, as in a search. Needs the scope \`${reveal}\`.`,
    }),
});

const newPlan = z
  .strictObject({
    action: z.enum(["replay", "discard"]),
    filter: filter.default({}),
    reason: storableText(500).min(1).optional().meta({
      description:
        "Why events are discarded. With a replay: why it also runs events that lack what their sender promises, which it skips otherwise. It is kept with each of them.",
    }),
    force: z.boolean().default(false).meta({ description: "Also replays events that have been processed." }),
    per_second: z.number().min(0.01).max(1_000).default(usualRate).meta({
      description: "How many events begin per second, at most. The plan goes on in steps of a second.",
    }),
  })
  .refine(({ action, reason }) => reason !== undefined || action === "replay", {
    error: "a plan that discards needs a reason",
    path: ["reason"],
  })
  .refine(({ action, force }) => !force || action === "replay", {
    error: "only a replay can be forced",
    path: ["force"],
  })
  .meta({ examples: [{ action: "replay", filter: { state: "dead", cause: "hT3kQv90ZrLm" }, per_second: 20 }] });

const skipped = z
  .array(z.object({ reason: z.string(), events: z.int() }))
  .meta({ description: "Events that are left as they are, and why; most events first." });

const plan = z.object({
  id: z.string(),
  action: z.enum(["replay", "discard"]),
  state: z.enum(states),
  filter: z.object({
    state: z.enum(eventStates).nullable(),
    provider: z.string().nullable(),
    type: z.string().nullable(),
    cause: z.string().nullable(),
    received_since: moment.nullable(),
    received_before: moment.nullable(),
    text: z.string().nullable(),
  }),
  reason: z.string().nullable(),
  force: z.boolean(),
  per_second: z.number(),
  created_at: moment,
  started_at: moment.nullable(),
  ended_at: moment.nullable(),
  dry_run: z
    .object({
      looked_at: z.int().meta({ description: "How many events that fit the filter were looked at, oldest first." }),
      complete: z.boolean().meta({
        description: `Whether these were all. A dry run ends after ${mostEventsPreviewed.toLocaleString("en")} events or 2 seconds.`,
      }),
      matched: z.int().meta({ description: "How many of them the plan is about: those that contain the text." }),
      done: z.int().meta({ description: "How many would run again or be discarded." }),
      handlers: z
        .array(z.object({ handler: z.string(), jobs: z.int() }))
        .meta({ description: "The handlers that would run; most jobs first." }),
      order_key_waits: z.int().meta({
        description: "How many jobs would wait for an earlier one of the plan, because both have the same order key.",
      }),
      skipped,
    })
    .meta({ description: "What it would do, as it was when it was made." }),
  report: z
    .object({
      looked_at: z.int(),
      done: z.int().meta({ description: "Events that run again or were discarded." }),
      jobs: z.int().meta({ description: "Jobs that were made." }),
      failed: z.int().meta({
        description:
          "Events for which an error came before a job could be made, for example because their sender cannot be used. The log has it. An event whose handler fails again is `done` here, and dead again.",
      }),
      skipped,
    })
    .meta({ description: "What it has done." }),
});

const planInFull = plan
  .extend({
    remaining: z.int().meta({
      description: `How many events that fit the filter are still to be looked at, counted up to ${remainingAtMost.toLocaleString("en")}. None once it has ended.`,
    }),
  })
  .meta({ id: "plan_in_full", examples: [{ ...examplePlan, remaining: 5_480 }] });

const shownSkipped = (found: readonly SkippedEvents[]) => found.map(({ reason, events }) => ({ reason, events }));

const presentPlan = (stored: StoredPlan, mayReveal: boolean): z.infer<typeof plan> => {
  const { filter: chosen, preview, progress } = stored;
  return {
    id: stored.id,
    action: stored.action,
    state: stored.state,
    filter: {
      state: chosen.state ?? null,
      provider: chosen.provider ?? null,
      type: chosen.type ?? null,
      cause: chosen.cause ?? null,
      received_since: momentOf(chosen.since),
      received_before: momentOf(chosen.until),
      text: stored.text === undefined ? null : mayReveal ? stored.text : maskedError,
    },
    reason: stored.reason ?? null,
    force: stored.force,
    per_second: stored.perSecond,
    created_at: timestampOf(stored.createdAt),
    started_at: momentOf(stored.startedAt),
    ended_at: momentOf(stored.endedAt),
    dry_run: {
      looked_at: preview.looked,
      complete: preview.isComplete,
      matched: preview.matched,
      done: preview.done,
      handlers: preview.handlers.map(({ handler, jobs }) => ({ handler, jobs })),
      order_key_waits: preview.waiting,
      skipped: shownSkipped(preview.skipped),
    },
    report: {
      looked_at: progress.looked,
      done: progress.done,
      jobs: progress.jobs,
      failed: progress.failed,
      skipped: shownSkipped(progress.skipped),
    },
  };
};

const isOver = (state: PlanState): boolean => state === "done" || state === "cancelled";

/** How many events a plan has still to look at, counted up to a bound. */
const remainingOf = async (
  { storage }: Pick<Ports, "storage">,
  { state, filter: chosen, progress }: Pick<StoredPlan, "state" | "filter" | "progress">,
): Promise<number> => (isOver(state) ? 0 : storage.events.count({ ...chosen, after: progress.after }, remainingAtMost));

const noSuchPlan = (): AppError => new AppError("not_found", { detail: "There is no such plan." });

const idOf = ({ params: { id = "" } }: Pick<Call, "params">): string => {
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw noSuchPlan();
};

/** What reading a plan shows only with the scope for payloads. */
const widerScopes = { [reveal]: "the text that a plan looks for in payloads" };

const filters = { "filter[state]": z.enum(states) };

const filterOf = (asked: Readonly<Record<string, unknown>>): PlanFilter =>
  given({ state: z.object(filters).partial().parse(asked)["filter[state]"] });

const listPlans = ({ storage: { plans } }: Pick<Ports, "storage">): Operation =>
  keyedList<StoredPlan, string>({
    id: "admin.plans.list",
    path: "/admin/plans",
    summary: "List the plans that replay or discard events",
    description: "One page, newest first unless `sort` says otherwise.",
    item: plan.meta({ examples: [examplePlan] }),
    name: "plan",
    key: { member: "id", usual: "falling", first: "" },
    filters,
    widerScopes,
    read: (asked, border) => plans.list({ ...filterOf(asked), ...border }),
    count: (asked, atMost) => plans.count(filterOf(asked), atMost),
    keyOf: ({ id }) => id,
    present: async (found, call) => found.map((one) => presentPlan(one, call.may(reveal))),
  });

const readPlan = (ports: Pick<Ports, "storage">): Operation =>
  defineOperation({
    id: "admin.plans.read",
    method: "GET",
    path: "/admin/plans/{id}",
    access: "admin",
    summary: "Read a plan: what it would do, what it has done, and what is left",
    tag: "admin",
    widerScopes,
    success: { status: 200, description: "The plan.", body: planInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const stored = await ports.storage.plans.find(idOf(call));
      if (stored === undefined) throw noSuchPlan();
      const remaining = await remainingOf(ports, stored);
      return { status: 200, body: { ...presentPlan(stored, call.may(reveal)), remaining } };
    },
  });

/** @throws AppError `validation_failed` for an empty range of time, or `force` that is missing. */
const checkPlan = ({ filter: chosen, force, action }: z.infer<typeof newPlan>): void => {
  const { state, received_since: since, received_before: before } = chosen;
  const refuse = (pointer: string, detail: string): never => {
    throw new AppError("validation_failed", { detail, faults: [{ pointer, code: "invalid_format", detail }] });
  };
  if (since !== undefined && before !== undefined && Date.parse(since) >= Date.parse(before)) {
    refuse("/filter/received_before", "received_before is not after received_since");
  }
  if (action === "replay" && state === "processed" && !force) {
    refuse("/force", "events that have been processed run again only with `force`");
  }
};

const makePlan = (parts: ReplayParts): Operation =>
  defineOperation({
    id: "admin.plans.create",
    method: "POST",
    path: "/admin/plans",
    access: "admin",
    scope: "events:replay",
    summary: "Plan to replay or discard all matching events, and see what that would do",
    tag: "admin",
    checkedAfterSchema: ["invalid_format"],
    widerScopes: { [reveal]: "choosing events by text in their payload" },
    body: newPlan,
    success: { status: 201, description: "The plan. It is not run.", body: planInFull },
    errors: ["forbidden"],
    handle: async (call) => {
      const { action, filter: chosen, force, per_second: perSecond, reason } = call.body;
      checkPlan(call.body);
      const { text } = chosen;
      if (text !== undefined) {
        if (!call.may(reveal)) {
          throw new AppError("forbidden", { detail: `To choose events by text, you need the scope ${reveal}.` });
        }
        await noteReveal(call, parts.ports.storage.audit, { resource: "event" });
      }
      const createdAt = call.now();
      const request = {
        action,
        filter: given({
          state: chosen.state,
          provider: chosen.provider,
          type: chosen.type,
          cause: chosen.cause,
          since: millisecondsOf(chosen.received_since),
          // Events that come later do not belong to the plan.
          until: millisecondsOf(chosen.received_before) ?? createdAt + 1,
        }),
        text,
        force,
        reason,
      };
      const id = call.newId();
      const stored: StoredPlan = {
        ...request,
        id,
        perSecond,
        state: "planned",
        runs: 0,
        createdAt,
        startedAt: undefined,
        endedAt: undefined,
        preview: await previewPlan(parts, request),
        progress: { after: 0, looked: 0, done: 0, jobs: 0, failed: 0, skipped: [], nextAt: undefined },
      };
      const body = { ...presentPlan(stored, true), remaining: await remainingOf(parts.ports, stored) };
      const note = { resource: "plan", id, fields: ["action", ...(reason === undefined ? [] : ["reason"])] };
      return call.write(note, async ({ plans }) => {
        await plans.save(stored);
        return { status: 201, headers: { location: `${call.request.base}/admin/plans/${id}` }, body };
      });
    },
  });

/** A change of a plan's state that an operation makes. */
interface Move {
  readonly name: "run" | "pause" | "resume" | "cancel";
  readonly summary: string;
  readonly confirm?: string;
  readonly description: string;
  readonly from: readonly PlanState[];
  readonly to: PlanState;
  /** In an error: "cannot be …". */
  readonly done: string;
}

const moves: readonly Move[] = [
  {
    name: "run",
    summary: "Run a plan in the background, at its rate",
    confirm: "Run the plan {id}? What it does to events stays, also if you cancel it later.",
    description: "It runs.",
    from: ["planned"],
    to: "running",
    done: "run",
  },
  {
    name: "pause",
    summary: "Pause a plan; jobs that it has made go on",
    description: "It is paused. No further event begins.",
    from: ["running"],
    to: "paused",
    done: "paused",
  },
  {
    name: "resume",
    summary: "Go on with a plan that is paused",
    description: "It runs again, from where it was.",
    from: ["paused"],
    to: "running",
    done: "resumed",
  },
  {
    name: "cancel",
    summary: "Cancel a plan for good; what it has done stays",
    confirm: "Cancel the plan {id} for good? What it has done stays.",
    description: "It is cancelled. No further event begins.",
    from: ["planned", "running", "paused"],
    to: "cancelled",
    done: "cancelled",
  },
];

const movePlan = (
  { ports }: Pick<ReplayParts, "ports">,
  { jobFor }: Pick<EventPlans, "jobFor">,
  { name, from, to, done, description, ...told }: Move,
): Operation =>
  defineOperation({
    id: `admin.plans.${name}`,
    method: "POST",
    path: `/admin/plans/{id}/${name}`,
    access: "admin",
    scope: "events:replay",
    ...told,
    tag: "admin",
    widerScopes,
    success: { status: 200, description, body: planInFull },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const id = idOf(call);
      const found = await ports.storage.plans.find(id);
      // Counting takes a while, so it is not done while the plan is held.
      const remaining = found === undefined || to === "cancelled" ? 0 : await remainingOf(ports, found);
      const answer = await call.write({ resource: "plan", id }, async ({ plans, jobs }) => {
        const held = await plans.hold(id);
        if (held === undefined) throw noSuchPlan();
        if (!from.includes(held.state)) {
          throw new AppError("state_conflict", { detail: `This plan cannot be ${done}: it is ${held.state}.` });
        }
        const now = call.now();
        const starts = to === "running";
        const moved: StoredPlan = {
          ...held,
          state: to,
          runs: held.runs + (starts ? 1 : 0),
          startedAt: held.startedAt ?? (starts ? now : undefined),
          endedAt: to === "cancelled" ? now : undefined,
          // The time of a pause is not caught up on.
          progress: starts ? { ...held.progress, nextAt: undefined } : held.progress,
        };
        await plans.save(moved);
        if (starts) await jobs.enqueue([jobFor(moved)], now);
        return { status: 200, body: { ...presentPlan(moved, call.may(reveal)), remaining } };
      });
      if (to === "running") ports.wakeup.notify();
      return answer;
    },
  });

/** Operations that make, show, run and stop plans. */
export const planOperations = (parts: ReplayParts, plans: Pick<EventPlans, "jobFor">): readonly Operation[] => [
  listPlans(parts.ports),
  makePlan(parts),
  readPlan(parts.ports),
  ...moves.map((move) => movePlan(parts, plans, move)),
];
