import { z } from "zod";
import { exampleRefusal, exampleRefusalTrace } from "./examples.ts";
import { moment } from "./times.ts";
import { verificationTrace } from "./trace.ts";

export const refusal = z.object({
  id: z.string(),
  provider: z.string(),
  reason: z.string().meta({ description: "A code of the verifier: `signature_mismatch`, `timestamp_too_old`." }),
  message: z.string().nullable(),
  hint: z.string().nullable().meta({ description: "What to do about it, in a sentence or two." }),
  refused_at: moment,
  request_id: z.string(),
  address: z.string().nullable().meta({ description: "Where it came from; null if that is not known or masked." }),
  bytes: z.int().meta({ description: "How long its body was." }),
  unkept: z.int().meta({
    description: "How many of this provider that were refused for this reason before it were not kept.",
  }),
  body_kept: z.boolean(),
});

export const refusalInFull = refusal
  .extend({
    trace: verificationTrace,
    body_base64: z.string().meta({
      description:
        "Up to 64 KiB of its body, if `keep_refused_bodies` of the provider is set; else empty. Nobody has proved what is in it.",
    }),
    masked: z.boolean().meta({
      description: "True if you may not see payloads: address, values of headers and body are left out.",
    }),
  })
  .meta({
    id: "refusal_in_full",
    examples: [{ ...exampleRefusal, trace: exampleRefusalTrace, body_base64: "eyJpZCI6ImV2dF8xIn0K", masked: false }],
  });
