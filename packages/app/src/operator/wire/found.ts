import { z } from "zod";
import { moment } from "./times.ts";

const foundKinds = [
  "event",
  "job",
  "plan",
  "cause",
  "provider",
  "user",
  "session",
  "api_key",
  "client",
  "audit_entries",
] as const;

/** Something that has the id that was looked for. */
const found = z.object({
  kind: z.enum(foundKinds),
  id: z.string(),
  title: z.string().nullable().meta({ description: "Its type, its handler or its name." }),
  state: z.string().nullable(),
  at: moment.nullable().meta({ description: "When it came or was made." }),
});

export const foundAnswer = z.object({ data: z.array(found).max(100) }).meta({
  examples: [
    {
      data: [{ kind: "event", id: "2051", title: "invoice.paid", state: "processed", at: "2026-11-21T08:30:00.120Z" }],
    },
  ],
});

export type Found = z.infer<typeof found>;
