import type { CountStep } from "@postern/core/ports";
import { z } from "zod";
import { exampleCounts, exampleSenderCounts } from "./examples.ts";
import { moment } from "./times.ts";

export const countStepNames = ["minute", "hour", "day"] as const satisfies readonly CountStep[];

/** So many senders are answered at most. */
export const mostSenders = 200;

const number = z.int().min(0);

const happened = {
  received: number.meta({ description: "Deliveries with a valid signature, repeats included." }),
  refused: number.meta({ description: "Deliveries whose signature did not hold." }),
  duplicate: number,
  quarantined: number,
  processed: number.meta({ description: "Jobs that ended well." }),
  dead: number.meta({ description: "Jobs that were given up." }),
  late: number.meta({ description: "Jobs of events that began more than a minute after the event was stored." }),
  latency_ms: z.object({ about_p50: z.number(), about_p95: z.number(), about_p99: z.number() }).nullable().meta({
    description:
      "How long processed jobs took from when they were stored to their end: half of them, 95 % and 99 % at most about so long, read from a histogram of fixed buckets. Null if there was none.",
  }),
};

const numbers = {
  ...happened,
  waiting: number.meta({ description: "The most jobs that waited at once, looked at once a minute." }),
  oldest_waiting_seconds: z.number().meta({ description: "For how long the oldest of them had waited, at most." }),
};

export const counts = z
  .object({
    step: z.enum(countStepNames),
    from: moment,
    to: moment,
    provider: z.string().nullable().meta({ description: "Null for all of them, and all jobs." }),
    total: z.object(numbers),
    buckets: z
      .array(
        z.object({
          at: moment.meta({ description: "Where the bucket begins. Days begin at midnight UTC." }),
          filling: z.boolean().meta({ description: "True for the bucket that is not over yet." }),
          ...numbers,
        }),
      )
      .meta({ description: "Oldest first. Those in which nothing happened are left out." }),
  })
  .meta({ examples: [exampleCounts] });

export const senderCounts = z
  .object({
    step: z.enum(countStepNames),
    from: moment,
    to: moment,
    complete: z.boolean().meta({
      description: `False if something was counted of more than ${mostSenders} senders. Those later by name are left out then.`,
    }),
    providers: z
      .array(z.object({ provider: z.string(), ...happened }))
      .max(mostSenders)
      .meta({ description: "By name. Senders of which nothing was counted are left out." }),
  })
  .meta({ examples: [exampleSenderCounts] });
