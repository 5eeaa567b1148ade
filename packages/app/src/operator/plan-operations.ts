import { AppError, allRows, type Ports } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { PlanFilter, PlanState, SkippedEvents, StoredPlan } from "@postern/core/ports";
import { previewPlan, type ReplayParts } from "@postern/inbox/internal";
import { type EngineCall, keyedList, type Operation, type Principal, principalOf } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import type { EventPlans } from "../plans/event-plans.ts";
import { user } from "../resources/user.ts";
import { given } from "./given-members.ts";
import { noteReveal } from "./job-operations.ts";
import { eventScope, jobScope } from "./wire/actions.ts";
import { examplePlan } from "./wire/examples.ts";
import { maskedError, reveal } from "./wire/masking.ts";
import { matchingOf, requireRange } from "./wire/matching-fields.ts";
import { type NewPlan, newPlan, plan, planInFull, planStates, remainingAtMost } from "./wire/plan.ts";
import { millisecondsOf, momentOf } from "./wire/times.ts";

const shownSkipped = (found: readonly SkippedEvents[]) => found.map(({ reason, events }) => ({ reason, events }));

interface PlanParts {
  readonly ports: Pick<Ports, "storage">;
  /** Whether the application has accounts. */
  readonly users: boolean;
}

/** The names of the users who made these plans. */
const makersOf = async (
  { ports: { storage }, users }: PlanParts,
  plans: readonly StoredPlan[],
): Promise<ReadonlyMap<string, string>> => {
  const { resources } = storage;
  const ids = new Set(plans.flatMap(({ madeBy }) => (users && madeBy?.kind === "user" ? madeBy.id : [])));
  const found = await Promise.all([...ids].map((id) => resources.find(user, id, allRows("who made a plan"), ["name"])));
  return new Map(
    [...ids].flatMap((id, at) => (found[at] === undefined ? [] : [[id, String(found[at].name)] as const])),
  );
};

const presentPlan = (
  stored: StoredPlan,
  mayReveal: boolean,
  makers: ReadonlyMap<string, string>,
): z.infer<typeof plan> => {
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
    jobs: stored.jobs === undefined ? null : presentJobs(stored.jobs),
    reason: stored.reason ?? null,
    made_by: stored.madeBy === undefined ? null : { id: stored.madeBy.id, name: makers.get(stored.madeBy.id) ?? null },
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

/** What was asked of jobs, in the words of the API. */
const presentJobs = (chosen: NonNullable<StoredPlan["jobs"]>): z.infer<typeof plan>["jobs"] => ({
  state: chosen.state ?? null,
  handler: chosen.kind ?? null,
  queue: chosen.queue ?? null,
  provider: chosen.provider ?? null,
  cause: chosen.cause ?? null,
  created_since: momentOf(chosen.since),
  created_before: momentOf(chosen.until),
});

const isOver = (state: PlanState): boolean => state === "done" || state === "cancelled";

/** How many events or jobs a plan has still to look at, counted up to a bound. */
const remainingOf = async (
  { storage }: Pick<Ports, "storage">,
  { state, filter: chosen, jobs, progress: { after } }: Pick<StoredPlan, "state" | "filter" | "jobs" | "progress">,
): Promise<number> => {
  if (isOver(state)) return 0;
  return jobs === undefined
    ? storage.events.count({ ...chosen, after }, remainingAtMost)
    : storage.jobRecords.count({ ...jobs, current: true, after }, remainingAtMost);
};

const noSuchPlan = (): AppError => new AppError("not_found", { detail: "There is no such plan." });

const idOf = ({ params: { id = "" } }: Pick<EngineCall, "params">): string => {
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw noSuchPlan();
};

/** What reading a plan shows only with the scope for payloads. */
const widerScopes = { [reveal]: "the text that a plan looks for in payloads" };

const filters = { "filter[state]": z.enum(planStates) };

const filterOf = (asked: Readonly<Record<string, unknown>>): PlanFilter =>
  given({ state: z.object(filters).partial().parse(asked)["filter[state]"] });

const listPlans = (parts: PlanParts): Operation =>
  keyedList<StoredPlan, string>({
    id: "admin.plans.list",
    path: "/admin/plans",
    summary: "List the plans that replay or discard events, or retry or cancel jobs",
    description: "One page, newest first unless `sort` says otherwise.",
    item: plan.meta({ examples: [examplePlan] }),
    name: "plan",
    key: { member: "id", usual: "falling", first: "" },
    filters,
    widerScopes,
    read: (asked, border) => parts.ports.storage.plans.list({ ...filterOf(asked), ...border }),
    count: (asked, atMost) => parts.ports.storage.plans.count(filterOf(asked), atMost),
    keyOf: ({ id }) => id,
    present: async (found, call) => {
      const makers = await makersOf(parts, found);
      return found.map((one) => presentPlan(one, call.may(reveal), makers));
    },
  });

const readPlan = ({ ports, users }: PlanParts): Operation =>
  adminOperation({
    id: "admin.plans.read",
    method: "GET",
    path: "/admin/plans/{id}",
    summary: "Read a plan: what it would do, what it has done, and what is left",
    widerScopes,
    success: { status: 200, description: "The plan.", body: planInFull },
    errors: ["not_found"],
    handle: async (call) => {
      const stored = await ports.storage.plans.find(idOf(call));
      if (stored === undefined) throw noSuchPlan();
      const remaining = await remainingOf(ports, stored);
      const makers = await makersOf({ ports, users }, [stored]);
      return { status: 200, body: { ...presentPlan(stored, call.may(reveal), makers), remaining } };
    },
  });

/** @throws AppError `validation_failed` for an empty range of time, or `force` that is missing. */
const checkPlan = ({ filter: chosen, jobs, force, action }: NewPlan): void => {
  requireRange(chosen, "/filter");
  requireRange({ received_since: jobs?.created_since, received_before: jobs?.created_before }, "/jobs");
  if (action !== "replay" || chosen.state !== "processed" || force) return;
  const detail = "events that have been processed run again only with `force`";
  throw new AppError("validation_failed", { detail, faults: [{ pointer: "/force", code: "invalid_format", detail }] });
};

/** The same jobs as stores take them. Jobs that come later do not belong to the plan. */
const jobsOf = (jobs: NonNullable<NewPlan["jobs"]>, upkeep: readonly string[], now: number): StoredPlan["jobs"] => ({
  ...given({
    state: jobs.state,
    kind: jobs.handler,
    queue: jobs.queue,
    provider: jobs.provider,
    cause: jobs.cause,
    since: millisecondsOf(jobs.created_since),
  }),
  kinds: { notIn: upkeep },
  until: millisecondsOf(jobs.created_before) ?? now + 1,
});

/** @throws AppError `forbidden` for a plan about jobs, of a caller who may not change jobs. */
const requireJobScope = (call: Pick<EngineCall, "may">, jobs: unknown): void => {
  if (jobs === undefined || call.may(jobScope)) return;
  throw new AppError("forbidden", { detail: `For a plan about jobs, you need the scope ${jobScope}, too.` });
};

const makePlan = (parts: ReplayParts & PlanParts, upkeep: readonly string[]): Operation =>
  adminOperation({
    id: "admin.plans.create",
    method: "POST",
    path: "/admin/plans",
    scope: eventScope,
    summary: "Plan to replay or discard all matching events, or to retry or cancel all matching jobs",
    checkedAfterSchema: ["invalid_format"],
    widerScopes: { [reveal]: "choosing events by text in their payload", [jobScope]: "plans about jobs" },
    body: newPlan,
    success: { status: 201, description: "The plan. It is not run.", body: planInFull },
    errors: ["forbidden"],
    handle: async (call) => {
      const { action, filter: chosen, jobs, force, per_second: perSecond, reason } = call.body;
      checkPlan(call.body);
      requireJobScope(call, jobs);
      const { text } = chosen;
      if (text !== undefined) {
        if (!call.may(reveal)) {
          throw new AppError("forbidden", { detail: `To choose events by text, you need the scope ${reveal}.` });
        }
        await noteReveal(call, parts.ports.storage.audit, { resource: "event" });
      }
      const createdAt = call.now();
      const matching = matchingOf(chosen);
      const request = {
        action,
        // Events that come later do not belong to the plan.
        filter:
          jobs === undefined ? given({ state: chosen.state, ...matching, until: matching.until ?? createdAt + 1 }) : {},
        jobs: jobs === undefined ? undefined : jobsOf(jobs, upkeep, createdAt),
        text,
        force,
        reason,
      };
      const id = call.newId();
      const stored: StoredPlan = {
        ...request,
        id,
        madeBy: madeBy(principalOf(call)),
        perSecond,
        state: "planned",
        runs: 0,
        createdAt,
        startedAt: undefined,
        endedAt: undefined,
        preview: await previewPlan(parts, request),
        progress: { after: 0, looked: 0, done: 0, jobs: 0, failed: 0, skipped: [], nextAt: undefined },
      };
      const makers = await makersOf(parts, [stored]);
      const body = { ...presentPlan(stored, true, makers), remaining: await remainingOf(parts.ports, stored) };
      const note = { resource: "plan", id, fields: ["action", ...(reason === undefined ? [] : ["reason"])] };
      return call.write(note, async ({ plans }) => {
        await plans.save(stored);
        return { status: 201, headers: { location: `${call.request.base}/admin/plans/${id}` }, body };
      });
    },
  });

const madeBy = (principal: Principal): NonNullable<StoredPlan["madeBy"]> =>
  principal.kind === "user"
    ? { kind: "user", id: principal.userId }
    : { kind: "operator", id: principal.name.slice(0, 128) };

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
  { ports, users }: Pick<ReplayParts, "ports"> & PlanParts,
  { jobFor }: Pick<EventPlans, "jobFor">,
  { name, from, to, done, description, ...told }: Move,
): Operation =>
  adminOperation({
    id: `admin.plans.${name}`,
    method: "POST",
    path: `/admin/plans/{id}/${name}`,
    scope: eventScope,
    ...told,
    widerScopes,
    success: { status: 200, description, body: planInFull },
    errors: ["forbidden", "not_found", "state_conflict"],
    handle: async (call) => {
      const id = idOf(call);
      const found = await ports.storage.plans.find(id);
      // Counting takes a while, so it is not done while the plan is held.
      const remaining = found === undefined || to === "cancelled" ? 0 : await remainingOf(ports, found);
      const makers = await makersOf({ ports, users }, found === undefined ? [] : [found]);
      const answer = await call.write({ resource: "plan", id }, async ({ plans, jobs }) => {
        const held = await plans.hold(id);
        if (held === undefined) throw noSuchPlan();
        if (!from.includes(held.state)) {
          throw new AppError("state_conflict", { detail: `This plan cannot be ${done}: it is ${held.state}.` });
        }
        const now = call.now();
        const starts = to === "running";
        if (starts) requireJobScope(call, held.jobs);
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
        return { status: 200, body: { ...presentPlan(moved, call.may(reveal), makers), remaining } };
      });
      if (to === "running") ports.wakeup.notify();
      return answer;
    },
  });

/** Operations that make, show, run and stop plans. */
export const planOperations = (
  parts: ReplayParts & PlanParts & { readonly upkeep: readonly string[] },
  plans: Pick<EventPlans, "jobFor">,
): readonly Operation[] => [
  listPlans(parts),
  makePlan(parts, parts.upkeep),
  readPlan(parts),
  ...moves.map((move) => movePlan(parts, plans, move)),
];
