import { z } from "zod";
import { exampleCause } from "./examples.ts";
import { moment } from "./times.ts";

export const cause = z
  .object({
    id: z.string().meta({ description: "For `filter[cause]` of events and jobs." }),
    handler: z.string(),
    error: z.string().nullable().meta({ description: "The name of the error; null if something else was thrown." }),
    message: z.string().meta({
      description: "The message, with `#` in the place of numbers, ids, addresses and quoted values.",
    }),
    frames: z.array(z.string()).meta({
      description: "Where in the application's own code it failed: at most two frames of the stack.",
    }),
    failures: z.int().meta({ description: "How many failed attempts." }),
    share: z.number().min(0).max(1).meta({ description: "Of all failed attempts in the time: 0.25 is a quarter." }),
    first_at: moment,
    last_at: moment,
    example: z
      .object({
        event_id: z.string().nullable().meta({ description: "The newest event that failed, by its id here." }),
        job_id: z.string(),
        at: moment,
        error: z.string().meta({ description: "The error as it was thrown, and below it its stack." }),
      })
      .meta({ description: "The last failure of the newest event; without events, the last failure." }),
  })
  .meta({ examples: [exampleCause] });
