import type { Ports } from "@postern/core";
import type { InboxHandler } from "@postern/inbox";
import type { JobHandler, Schedule } from "@postern/jobs";
import { defineOperation, type Operation } from "@postern/rest";
import { z } from "zod";
import type { HealthLevel } from "../operator/health/health.ts";
import { readHealth } from "../operator/health/read-health.ts";
import type { Retention } from "../operator/maintenance/maintenance.ts";

const levels = ["ok", "attention", "stopped"] as const satisfies readonly HealthLevel[];

const fact = z.object({
  kind: z.string().meta({ description: "What it is about, for programs: `refused`, `queue_limited`, `dead`." }),
  level: z.enum(levels),
  text: z.string().meta({ description: "A sentence for people." }),
  mend: z
    .string()
    .nullable()
    .meta({ description: "The command that mends it, or what to do; null if nothing is wrong." }),
});

const health = z
  .object({
    level: z.enum(levels).meta({
      description:
        "The worst level of the facts. `stopped`: some work does not flow. `attention`: it flows, and somebody should look.",
    }),
    sentence: z.string().meta({ description: "Whether work flows, and if not, what holds it." }),
    facts: z.array(fact).meta({ description: "The facts behind the sentence, the worst first." }),
  })
  .meta({
    examples: [
      {
        level: "stopped",
        sentence: "Jobs wait: the queue `mail` is held by its limit of 2; the oldest waits 4 m.",
        facts: [
          {
            kind: "queue_limited",
            level: "stopped",
            text: "Jobs wait: the queue `mail` is held by its limit of 2; the oldest waits 4 m.",
            mend: "postern jobs list --queue mail --state running",
          },
          { kind: "deliveries", level: "ok", text: "stripe in the last hour: 312 accepted.", mend: null },
        ],
      },
    ],
  });

/** What the health of an application is read from. */
export interface HealthSources {
  readonly ports: Ports;
  /** Whether the application takes webhooks. */
  readonly inbox: boolean;
  /** The senders whose keys come from the configuration. */
  readonly configured: ReadonlySet<string>;
  readonly schedules: readonly Schedule[];
  readonly retention: Retention;
  readonly handlers: readonly (InboxHandler | JobHandler)[];
  /** Stores the counts of deliveries that this process has not stored yet. */
  readonly flush: () => Promise<void>;
}

/** The operation that says in a sentence whether work flows. */
export const healthOperation = ({ flush, ...parts }: HealthSources): Operation =>
  defineOperation({
    id: "admin.health",
    method: "GET",
    path: "/admin/health",
    access: "admin",
    summary: "Say in a sentence whether work flows and what holds it, with the facts behind it",
    tag: "admin",
    success: { status: 200, description: "As it is now.", body: health },
    handle: async () => {
      await flush();
      const { level, sentence, facts } = await readHealth(parts);
      return {
        status: 200,
        body: { level, sentence, facts: facts.map(({ mend = null, ...rest }) => ({ ...rest, mend })) },
      };
    },
  });
