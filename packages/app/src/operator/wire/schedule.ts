import { z } from "zod";
import { exampleSchedule } from "./examples.ts";
import { jobStateNames } from "./job.ts";
import { moment } from "./times.ts";

export const schedule = z
  .object({
    name: z.string(),
    cron: z.string().meta({ description: "Five fields, or a name such as `@daily`." }),
    time_zone: z.string(),
    words: z.string().meta({ description: "Its times in words, for people." }),
    missed: z.enum(["skip", "last", "all"]).meta({
      description: "Which of the times run that passed while no process ran. None that passed in a pause does.",
    }),
    queue: z.string(),
    paused: z.boolean(),
    paused_at: moment.nullable(),
    note: z.string().nullable().meta({ description: "Why it is paused." }),
    next_times: z.array(moment).meta({ description: "Its next three times; none while it is paused." }),
    last_at: moment.nullable().meta({ description: "Its newest time that has run or is to run." }),
    last_job: z
      .object({
        id: z.string(),
        state: z.enum(jobStateNames),
        started_at: moment.nullable(),
        finished_at: moment.nullable(),
      })
      .nullable()
      .meta({ description: "Its newest job, of one of its times or run by hand, while that is kept." }),
  })
  .meta({ id: "schedule", examples: [exampleSchedule] });
