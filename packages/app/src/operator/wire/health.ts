import { z } from "zod";

export const healthLevels = ["ok", "attention", "stopped"] as const;

const fact = z.object({
  kind: z.string().meta({ description: "What it is about, for programs: `refused`, `queue_limited`, `dead`." }),
  level: z.enum(healthLevels),
  text: z.string().meta({ description: "A sentence for people." }),
  page: z
    .string()
    .meta({ description: "The page of the console that shows it: what stands behind `#` in its address." }),
  mend: z
    .string()
    .nullable()
    .meta({ description: "The command that mends it, or what to do; null if nothing is wrong." }),
});

export const health = z
  .object({
    level: z.enum(healthLevels).meta({
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
            page: "/jobs?state=running&queue=mail",
          },
          {
            kind: "deliveries",
            level: "ok",
            text: "stripe in the last hour: 312 accepted.",
            mend: null,
            page: "/senders/stripe",
          },
        ],
      },
    ],
  });
