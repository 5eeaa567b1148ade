import { timestampOf } from "@postern/core/internal";
import type { DeprecatedUseStore } from "@postern/core/ports";
import { z } from "zod";
import { deprecationStates, noticeMs, startOf, stateOf } from "../deprecations/deprecation.ts";
import { retentionDays } from "../deprecations/use-counter.ts";
import { type Operation, tableEntry } from "../operations/operation.ts";
import { countParameter } from "../operations/page.ts";
import { day } from "./about-operation.ts";
import type { SelfDescription } from "./self-description.ts";

/** What will go away, and who still uses it. */
export const usedDeprecations = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        state: z.enum(deprecationStates),
        sunset_at: day,
        calls: z.int().min(0),
        calls_asked: z
          .int()
          .min(0)
          .meta({ description: "Calls that used the deprecated thing: they named it, sent it or called it." }),
        calls_sent: z
          .int()
          .min(0)
          .meta({ description: "Calls whose answer only contained the deprecated thing; the client may read it." }),
        watched_since: z.iso.datetime().meta({ description: "Since when this server counts its uses." }),
        safe_from: z.iso.datetime().meta({
          description:
            "The earliest time at which it can be safe to remove: its sunset, or when its uses have been counted for as long as its notice was (from deprecation to sunset), whichever is later.",
        }),
        safe_to_remove: z.boolean().meta({
          description:
            "True if that time has come and nobody has used it for as long as its notice was, whatever `days` says. Uses that this process has counted and not stored are included; other processes store theirs within ten seconds.",
        }),
        clients: z.array(
          z.object({
            client: z.string().meta({ description: "`user:<id>`, `anonymous`, …" }),
            agent: z.string().meta({ description: "The program, as it calls itself." }),
            operation: z.string().meta({ description: "The operation's id." }),
            kind: z.enum(["asked", "sent"]),
            calls: z.int().min(1),
            first_used_at: z.iso.datetime(),
            last_used_at: z.iso.datetime(),
          }),
        ),
      })
      .meta({
        examples: [
          {
            id: "v1-post-content",
            state: "deprecated",
            sunset_at: "2027-05-31",
            calls: 1280,
            calls_asked: 12,
            calls_sent: 1268,
            watched_since: "2026-11-01T00:00:00.000Z",
            safe_from: "2027-05-31T00:00:00.000Z",
            safe_to_remove: false,
            clients: [
              {
                client: "user:019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
                agent: "ledger-ios",
                operation: "posts.read",
                kind: "sent",
                calls: 1268,
                first_used_at: "2026-11-02T06:11:09.000Z",
                last_used_at: "2026-11-21T08:30:00.000Z",
              },
            ],
          },
        ],
      }),
  ),
});

const dayMs = 86_400_000;

const callsOf = (sums: readonly { readonly calls: number }[]): number =>
  sums.reduce((total, { calls }) => total + calls, 0);

/** Shows administrators which clients still use what will go away. */
export const listDeprecatedUses = (
  self: () => SelfDescription,
  deprecatedUses: Pick<DeprecatedUseStore, "sums" | "watch">,
): Operation =>
  tableEntry({
    id: "admin.deprecations",
    method: "GET",
    path: "/admin/deprecations",
    access: "admin",
    summary: "Show who still uses what will go away",
    tag: "admin",
    query: z.strictObject({
      days: countParameter(400, 30, "How many days back, today included."),
    }),
    success: {
      status: 200,
      description: "Every entry of the registry with its users, most calls first.",
      body: usedDeprecations,
    },
    handle: async ({ query: { days = 30 }, now: clock }) => {
      const now = clock();
      const dayBefore = (ms: number): string => timestampOf(now - ms).slice(0, 10);
      const since = dayBefore((days - 1) * dayMs);
      const { registry, isStored } = self().deprecations;
      // Includes the uses that this process has counted but not stored yet.
      await self().deprecations.flush();
      // Who asks begins nothing: the upkeep of each hour does.
      const watched = await deprecatedUses.watch([], now);
      const data = await Promise.all(
        registry.map(async (entry) => {
          const notice = Math.min(noticeMs(entry), retentionDays * dayMs);
          const watchedSince = watched.get(entry.id) ?? now;
          const safeFrom = Math.max(startOf(entry.sunset), watchedSince + notice);
          const used = await deprecatedUses.sums({ since: dayBefore(notice), deprecation: entry.id, limit: 1 });
          const sums = await deprecatedUses.sums({ since, deprecation: entry.id, limit: 1000 });
          return {
            id: entry.id,
            state: stateOf(entry, now),
            sunset_at: entry.sunset,
            calls: callsOf(sums),
            calls_asked: callsOf(sums.filter(({ kind }) => kind === "asked")),
            calls_sent: callsOf(sums.filter(({ kind }) => kind === "sent")),
            watched_since: timestampOf(watchedSince),
            safe_from: timestampOf(safeFrom),
            safe_to_remove: now >= safeFrom && used.length === 0 && isStored(),
            clients: sums.map(({ client, agent, operation, kind, calls, firstAt, lastAt }) => ({
              client,
              agent,
              operation,
              kind,
              calls,
              first_used_at: timestampOf(firstAt),
              last_used_at: timestampOf(lastAt),
            })),
          };
        }),
      );
      return { status: 200, body: { data } };
    },
  });
