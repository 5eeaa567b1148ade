import { eventActions } from "@postern/core/internal";
import { eventStates, type PlanState } from "@postern/core/ports";
import { mostEventsPreviewed } from "@postern/inbox/internal";
import { z } from "zod";
import { examplePlan } from "./examples.ts";
import { jobStateNames } from "./job.ts";
import { reveal } from "./masking.ts";
import { matchingFields } from "./matching-fields.ts";
import { checkOverruling, overrulingFields } from "./overruling-fields.ts";
import { causeText, eventIdText, nameText, storableText } from "./texts.ts";
import { moment } from "./times.ts";

export const planStates = ["planned", "running", "paused", "done", "cancelled"] as const satisfies readonly PlanState[];

/** The rate of a plan that names none, in events per second. */
const usualRate = 50;

export const remainingAtMost = 10_000;

const planFilter = z.strictObject({
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

/** Which jobs a plan is about. Postern's own upkeep never belongs to it. */
const planJobs = z.strictObject({
  state: z.enum(jobStateNames).optional(),
  handler: nameText(128).optional(),
  queue: nameText(64).optional(),
  provider: nameText(64).optional().meta({ description: "Only jobs about an event of this sender." }),
  cause: causeText
    .optional()
    .meta({ description: "Only jobs whose latest failure has this cause: an id of `GET /admin/causes`." }),
  created_since: moment.optional().meta({ description: "Stored at this time or later." }),
  created_before: moment.optional().meta({
    description: "Stored before this time. Default: when the plan is made, so later jobs do not belong to it.",
  }),
});

const aboutJobs = ["retry", "cancel"] as const;

const isAboutJobs = (action: string): boolean => aboutJobs.some((one) => one === action);

const planActions = ["replay", "discard", ...aboutJobs] as const;

export const newPlan = z
  .strictObject({
    action: z.enum(planActions).meta({
      description: "`replay` and `discard` are about events, `retry` and `cancel` about jobs.",
    }),
    filter: planFilter.default({}).meta({ description: "Which events." }),
    jobs: planJobs.optional().meta({
      description: "Which jobs: needed to retry or cancel them, as the scope `jobs:write` is.",
    }),
    reason: storableText(500).min(1).optional().meta({
      description:
        "Why events are discarded. With a replay: why it also runs events that lack what their sender promises, which it skips otherwise. It is kept with each of them.",
    }),
    force: z.boolean().default(false).meta({ description: "Also replays events that have been processed." }),
    per_second: z.number().min(0.01).max(1_000).default(usualRate).meta({
      description: "How many events or jobs begin per second, at most. The plan goes on in steps of a second.",
    }),
  })
  .refine(({ action, jobs }) => (jobs !== undefined) === isAboutJobs(action), {
    error: "a plan has it if it retries or cancels jobs, and not otherwise",
    path: ["jobs"],
  })
  .refine(({ action, filter }) => Object.keys(filter).length === 0 || !isAboutJobs(action), {
    error: "it chooses events; jobs are chosen by `jobs`",
    path: ["filter"],
  })
  .refine(({ action, reason }) => reason !== undefined || action !== "discard", {
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
  .meta({ description: "Events or jobs that are left as they are, and why; most first." });

export const plan = z.object({
  id: z.string(),
  action: z.enum(planActions),
  state: z.enum(planStates),
  filter: z.object({
    state: z.enum(eventStates).nullable(),
    provider: z.string().nullable(),
    type: z.string().nullable(),
    cause: z.string().nullable(),
    received_since: moment.nullable(),
    received_before: moment.nullable(),
    text: z.string().nullable(),
  }),
  jobs: z
    .object({
      state: z.enum(jobStateNames).nullable(),
      handler: z.string().nullable(),
      queue: z.string().nullable(),
      provider: z.string().nullable(),
      cause: z.string().nullable(),
      created_since: moment.nullable(),
      created_before: moment.nullable(),
    })
    .nullable()
    .meta({ description: "Which jobs it is about; null for a plan about events." }),
  reason: z.string().nullable(),
  made_by: z
    .object({
      id: z.string().meta({ description: "The id of a user, or the name of an operator." }),
      name: z.string().nullable().meta({ description: "The user's name, while there is one." }),
    })
    .nullable()
    .meta({ description: "Who made it; null if that was not kept." }),
  force: z.boolean(),
  per_second: z.number(),
  created_at: moment,
  started_at: moment.nullable(),
  ended_at: moment.nullable(),
  dry_run: z
    .object({
      looked_at: z.int().meta({ description: "How many that fit the filter were looked at, oldest first." }),
      complete: z.boolean().meta({
        description: `Whether these were all. A dry run ends after ${mostEventsPreviewed.toLocaleString("en")} events or jobs, or 2 seconds.`,
      }),
      matched: z.int().meta({ description: "How many of them the plan is about: those that contain the text." }),
      done: z.int().meta({ description: "How many would run again, be discarded or be cancelled." }),
      handlers: z
        .array(z.object({ handler: z.string(), jobs: z.int() }))
        .meta({ description: "The handlers that would run, or whose jobs would be cancelled; most jobs first." }),
      order_key_waits: z.int().meta({
        description: "How many jobs would wait for an earlier one of the plan, because both have the same order key.",
      }),
      skipped,
    })
    .meta({ description: "What it would do, as it was when it was made." }),
  report: z
    .object({
      looked_at: z.int(),
      done: z.int().meta({ description: "Events or jobs that run again, were discarded or were cancelled." }),
      jobs: z.int().meta({ description: "Jobs that were made." }),
      failed: z.int().meta({
        description:
          "Events for which an error came before a job could be made, for example because their sender cannot be used. The log has it. An event whose handler fails again is `done` here, and dead again.",
      }),
      skipped,
    })
    .meta({ description: "What it has done." }),
});

export type NewPlan = z.infer<typeof newPlan>;

export const planInFull = plan
  .extend({
    remaining: z.int().meta({
      description: `How many that fit the filter are still to be looked at, counted up to ${remainingAtMost.toLocaleString("en")}. None once it has ended.`,
    }),
  })
  .meta({ id: "plan_in_full", examples: [{ ...examplePlan, remaining: 5_480 }] });

export const replayBody = checkOverruling(
  z.strictObject({
    state: z.enum(eventActions.replay),
    ...matchingFields,
    received_before: moment.optional(),
    after: eventIdText.optional().meta({ description: "Only events after this one: `next` of the previous replay." }),
    dry_run: z.boolean().default(false).meta({ description: "Only report what would be done." }),
    force: z.boolean().default(false).meta({ description: "Needed for events that have been processed." }),
    ...overrulingFields,
    per_second: z
      .number()
      .min(0.01)
      .max(1_000)
      .optional()
      .meta({ description: "How many events begin per second. Default: as fast as slots are free." }),
    limit: z
      .int()
      .min(1)
      .max(10_000)
      .default(1_000)
      .meta({ description: "The greatest number of events that are looked at." }),
  }),
)
  .refine(({ state, force }) => state !== "processed" || force, {
    error: "events that have been processed run again only with `force`",
    path: ["force"],
  })
  .meta({ examples: [{ state: "dead", dry_run: true }] });

export const replayReport = z
  .object({
    dry_run: z.boolean(),
    matched: z.int(),
    replayed: z.int().meta({ description: "Events that run again or, with `dry_run`, would." }),
    jobs: z.int().meta({ description: "Jobs that were made." }),
    skipped: z.array(z.object({ reason: z.string(), events: z.int() })),
    last_due_at: moment.nullable().meta({ description: "When the last of them begins." }),
    next: z.string().nullable().meta({ description: "Send it as `after` to continue where this replay ended." }),
  })
  .meta({
    examples: [
      {
        dry_run: true,
        matched: 120,
        replayed: 118,
        jobs: 0,
        skipped: [{ reason: "its body is kept no longer", events: 2 }],
        last_due_at: null,
        next: null,
      },
    ],
  });
