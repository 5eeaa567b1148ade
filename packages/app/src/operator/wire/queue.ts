import type { JobState } from "@postern/core/ports";
import { z } from "zod";
import { exampleQueue } from "./examples.ts";
import { jobStateNames } from "./job.ts";
import { storableText } from "./texts.ts";
import { moment } from "./times.ts";

export const queue = z
  .object({
    name: z.string(),
    paused: z.boolean(),
    note: z.string().nullable().meta({ description: "Why it is paused." }),
    ready: z.int().meta({ description: "Jobs that wait for a runner." }),
    oldest_ready_at: moment.nullable().meta({ description: "Since when the longest-waiting job has been ready." }),
    running: z.int().meta({ description: "Jobs that run now." }),
    ended_last_minute: z.int().meta({ description: "Jobs that have ended in the last minute." }),
    at_once: z.int().nullable().meta({
      description:
        "How many of its jobs the running workers run at once at most. Null if a worker does not say, and without workers.",
    }),
    per_second: z.number().nullable().meta({
      description: "How many of its jobs start per second over all workers, at most; null without such a limit.",
    }),
    workers: z.int().meta({ description: "How many running workers work it." }),
  })
  .meta({ examples: [exampleQueue] });

/** What a pause may say. */
export const pauseNote = z.strictObject({
  note: storableText(500)
    .min(1)
    .optional()
    .meta({ description: "Why it is paused, for other administrators.", examples: [exampleQueue.note] }),
});

export const countedAtMost = 10_000;

export const stats = z.object({
  // The entries of the table whose keys are the states.
  jobs: z.object(Object.fromEntries(jobStateNames.map((state) => [state, z.int()])) as Record<JobState, z.ZodInt>),
  queues: z.array(queue),
  runners: z.array(
    z
      .object({ id: z.string(), name: z.string() })
      .meta({ examples: [{ id: "019a5e30-55aa-7f01-8c3b-0d9e7a6b4c21", name: "worker-1" }] }),
  ),
  deletions: z.object({
    unfinished: z
      .int()
      .meta({ description: "Deletions that are unfinished, because the deleted row had many rows below it." }),
    rows_left: z
      .int()
      .max(countedAtMost)
      .meta({
        description: `How many rows are still stored because of them, counted up to ${countedAtMost}. Nobody can see them.`,
      }),
  }),
});
