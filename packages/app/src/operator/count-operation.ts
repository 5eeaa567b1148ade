import { AppError, type Ports } from "@postern/core";
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
import type { Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { countStepNames, counts, mostSenders, senderCounts } from "./wire/counts.ts";
import { nameText } from "./wire/texts.ts";
import { millisecondsOf, moment, orDay } from "./wire/times.ts";

/** So many buckets are answered at most. */
const mostBuckets = 1_500;
/** Without `step`, buckets are so long that there are about this many. */
const usualBuckets = 400;
const usualMs = 3_600_000;
/** Of each of them, so many buckets are added up at most. */
const mostSummed = 400;

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
const stepFor = (span: number): CountStep =>
  countStepNames.find((step) => span / countSteps[step] <= usualBuckets) ?? "day";

const span = {
  from: orDay(moment).optional().meta({ description: "Default: an hour before `to`." }),
  to: orDay(moment).optional().meta({ description: "Default: now." }),
};

const stepped = (most: number, of: string) =>
  z
    .enum(countStepNames)
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
  adminOperation({
    id: "admin.counts",
    method: "GET",
    path: "/admin/counts",
    summary: "Say how many webhooks came and how many jobs ended, minute by minute, by hours or by days",
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
  adminOperation({
    id: "admin.counts-by-provider",
    method: "GET",
    path: "/admin/counts/providers",
    summary: "Say of each sender how many webhooks came and how many of its jobs ended",
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
