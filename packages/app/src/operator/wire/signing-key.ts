import { z } from "zod";
import { moment } from "./times.ts";

export const signingKey = z
  .object({
    kid: z.string().meta({ description: "The name by which tokens refer to it." }),
    state: z.enum(["next", "active", "retired"]).meta({
      description: "`next`: published and not in use; `active`: signs; `retired`: no longer signs.",
    }),
    created_at: moment,
    active_from: moment.nullable().meta({ description: "When it began to sign." }),
    ends_at: moment.nullable().meta({ description: "When its tokens end; null until it is retired." }),
  })
  .meta({
    id: "signing_key",
    examples: [
      {
        kid: "fJ3pQ9sVb2LxT0aY",
        state: "active",
        created_at: "2026-10-22T08:30:00.000Z",
        active_from: "2026-11-21T08:30:00.000Z",
        ends_at: null,
      },
    ],
  });
