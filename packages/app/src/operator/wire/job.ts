import { type JobState, jobStates } from "@postern/core/ports";
import { z } from "zod";
import { actions } from "./actions.ts";
import { exampleFailure, exampleJob } from "./examples.ts";
import { moment } from "./times.ts";

// The keys of the table. `Object.keys` does not know their type.
export const jobStateNames = Object.keys(jobStates) as [JobState, ...JobState[]];

export const job = z.object({
  id: z.string(),
  event_id: z.string().nullable().meta({ description: "The event that it is about, by its id here." }),
  provider: z.string().nullable().meta({ description: "The sender of the event." }),
  handler: z.string(),
  queue: z.string(),
  priority: z.int().meta({ description: "Smaller first." }),
  order_key: z
    .string()
    .nullable()
    .meta({ description: "Jobs of one key run one at a time, in the order in which they were stored." }),
  holds_order_key: z.boolean().meta({
    description:
      "True if it is dead and the other jobs of its order key wait until somebody runs it again or cancels it.",
  }),
  state: z.enum(jobStateNames),
  attempt: z.int(),
  max_attempts: z.int(),
  losses: z.int().meta({ description: "How often its runner died while it ran." }),
  due_at: moment.nullable(),
  cancel_at: moment.nullable().meta({ description: "When somebody asked to cancel it while it was running." }),
  last_error: z.string().nullable(),
  replay_of: z.string().nullable(),
  created_at: moment,
  started_at: moment.nullable(),
  finished_at: moment.nullable(),
  actions,
});

/** The same, described once in documents. */
export const namedJob = job.meta({ id: "job", examples: [exampleJob] });

const failure = z.object({
  attempt: z.int(),
  at: moment,
  error: z.string().meta({ description: "The error, and below it the first 20 lines of its stack." }),
  after_commit: z.boolean().meta({
    description: "True if the handler failed after it had committed: the job is done, and does not run again.",
  }),
  log: z
    .array(
      z.object({
        at: moment,
        level: z.enum(["debug", "info", "warn", "error"]),
        message: z.string(),
        fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      }),
    )
    .meta({ description: "What the handler logged in this attempt, oldest first: the last 50 lines, up to 8 KiB." }),
});

export const jobInFull = job
  .extend({ failures: z.array(failure).meta({ description: "The newest 100, oldest first." }) })
  .meta({ id: "job_in_full", examples: [{ ...exampleJob, failures: [exampleFailure] }] });
