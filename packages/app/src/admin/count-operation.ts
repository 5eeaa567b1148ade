import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import {
  aboutQuantile,
  bucketAt,
  countDays,
  countSteps,
  everyProvider,
  noCounts,
  summed,
  timestampOf,
} from "@postern/core/internal";
import type { CountBucket, CountStep, Counts } from "@postern/core/ports";
import { defineOperation, type Operation } from "@postern/rest";
import { z } from "zod";
import { exampleCounts, exampleSenderCounts } from "./examples.ts";
import { nameText } from "./text-schemas.ts";
import { millisecondsOf, moment, orDay } from "./times.ts";

const steps = ["minute", "hour", "day"] as const satisfies readonly CountStep[];

/** So many buckets are answered at most. */
const mostBuckets = 1_500;
/** Without `step`, buckets are so long that there are about this many. */
const usualBuckets = 400;
const usualMs = 3_600_000;

/** So many senders are answered at most. */
const mostSenders = 200;
/** Of each of them, so many buckets are added up at most. */
const mostSummed = 400;

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

const counts = z
  .object({
    step: z.enum(steps),
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

const senderCounts = z
  .object({
    step: z.enum(steps),
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

const presentHappened = (found: Counts) => {
  const [half, most, nearlyAll] = [0.5, 0.95, 0.99].map((share) => aboutQuantile(found.latency, share));
  return {
    received: found.received,
    refused: found.refused,
    duplicate: found.duplicate,
    quarantined: found.quarantined,
    processed: found.processed,
    dead: found.dead,
    late: found.late,
    latency_ms:
      half === undefined || most === undefined || nearlyAll === undefined
        ? null
        : { about_p50: half, about_p95: most, about_p99: nearlyAll },
  };
};

const presentCounts = (found: Counts) => ({
  ...presentHappened(found),
  waiting: found.waiting,
  oldest_waiting_seconds: found.oldestMs / 1000,
});

const invalid = (detail: string): AppError =>
  new AppError("invalid_filter", { detail, faults: [{ parameter: "step", code: "out_of_range", detail }] });

/** The shortest step with few enough buckets. */
const stepFor = (span: number): CountStep => steps.find((step) => span / countSteps[step] <= usualBuckets) ?? "day";

const span = {
  from: orDay(moment).optional().meta({ description: "Default: an hour before `to`." }),
  to: orDay(moment).optional().meta({ description: "Default: now." }),
};

const stepped = (most: number, of: string) =>
  z
    .enum(steps)
    .optional()
    .meta({
      description: `How long the buckets are. Minutes are kept for ${countDays.minute} days, hours for ${countDays.hour}, days for ${countDays.day}. At most ${most.toLocaleString("en")} are ${of}. Default: as fits the time.`,
    });

interface SpanQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: CountStep | undefined;
}

/**
 * The buckets that were asked about.
 * @throws AppError for none, and for more than `most`.
 */
const bucketsOf = (query: SpanQuery, now: number, most: number) => {
  const to = millisecondsOf(query.to) ?? now;
  const from = millisecondsOf(query.from) ?? to - usualMs;
  if (from >= to) throw invalid("`from` is not before `to`");
  const step = query.step ?? stepFor(to - from);
  const since = bucketAt(step, from);
  if ((to - since) / countSteps[step] > most) {
    throw invalid(`these are more than ${most} buckets; choose a longer step or a shorter time`);
  }
  // The bucket that begins now belongs to it.
  const until = query.to === undefined ? to + 1 : to;
  return { find: { step, since, until }, said: { step, from: timestampOf(since), to: timestampOf(to) } };
};

/** The operations that say what happened over time. */
export const countOperations = (
  { storage }: Pick<Ports, "storage">,
  flush: () => Promise<void>,
): readonly Operation[] => [
  defineOperation({
    id: "admin.counts",
    method: "GET",
    path: "/admin/counts",
    access: "admin",
    summary: "Say how many webhooks came and how many jobs ended, minute by minute, by hours or by days",
    tag: "admin",
    query: z.strictObject({
      ...span,
      step: stepped(mostBuckets, "answered"),
      provider: nameText(64).optional().meta({ description: "Only this one's." }),
    }),
    errors: ["invalid_filter"],
    checkedAfterSchema: ["invalid_format"],
    success: { status: 200, description: "What happened.", body: counts },
    handle: async ({ now, query }) => {
      const at = now();
      const { find, said } = bucketsOf(query, at, mostBuckets);
      await flush();
      const provider = query.provider ?? everyProvider;
      const found = await storage.counts.list({ ...find, provider, limit: mostBuckets + 1 });
      const bucket = (one: CountBucket) => ({
        at: timestampOf(one.at),
        filling: at < one.at + countSteps[find.step],
        ...presentCounts(one),
      });
      return {
        status: 200,
        body: {
          ...said,
          provider: query.provider ?? null,
          total: presentCounts(found.reduce<Counts>(summed, noCounts)),
          buckets: found.map(bucket),
        },
      };
    },
  }),
  defineOperation({
    id: "admin.counts-by-provider",
    method: "GET",
    path: "/admin/counts/providers",
    access: "admin",
    summary: "Say of each sender how many webhooks came and how many of its jobs ended",
    tag: "admin",
    query: z.strictObject({ ...span, step: stepped(mostSummed, "added up of each sender") }),
    errors: ["invalid_filter"],
    success: { status: 200, description: "What happened, sender by sender.", body: senderCounts },
    handle: async ({ now, query }) => {
      const { find, said } = bucketsOf(query, now(), mostSummed);
      await flush();
      const found = await storage.counts.sums({ ...find, limit: mostSenders + 1 });
      const providers = found.slice(0, mostSenders).map((one) => ({ provider: one.provider, ...presentHappened(one) }));
      return { status: 200, body: { ...said, complete: found.length <= mostSenders, providers } };
    },
  }),
];
