import { z } from "zod";
import { exampleRefusalTrace } from "./examples.ts";
import { moment } from "./times.ts";

const bytes = z.object({ bytes: z.int(), sha256: z.string() });

/** How a delivery was verified, without any secret or signature. */
export const verificationTrace = z
  .object({
    scheme: z.string().nullable().meta({ description: "Null if the provider is no longer known." }),
    valid: z.boolean(),
    code: z.string().nullable().meta({ description: "Why it was refused: a code of the verifier." }),
    message: z.string().nullable(),
    hint: z.string().nullable().meta({ description: "What to do about it, in a sentence or two." }),
    headers: z
      .array(
        z.object({
          name: z.string(),
          length: z.int().nullable().meta({ description: "Characters; null if the request does not have it." }),
          value: z.string().nullable().meta({
            description: "Only of headers that hold no secret and no signature, such as times and ids.",
          }),
        }),
      )
      .meta({ description: "The headers that were looked at; for a stored event those that are kept." }),
    signatures: z.int().nullable().meta({ description: "How many were found; null for a stored event." }),
    covered: z.array(z.string()).meta({ description: "The parts of the request that the signature covers." }),
    content: z.string().nullable().meta({
      description: "How the signed bytes are put together: `{timestamp}.{body}`; null if no template says it.",
    }),
    signed: bytes.nullable().meta({ description: "The signed bytes; null if they are not known." }),
    body: bytes.nullable().meta({ description: "The body as it came; null if it is not known." }),
    keys: z
      .object({
        tried: z.int().nullable(),
        named: z.string().nullable().meta({ description: "The id of the key that the message names." }),
        matched: z.int().nullable().meta({ description: "Which of those that were tried fits, from 1 on." }),
        id: z.string().nullable().meta({ description: "Its id, if it has one." }),
      })
      .nullable(),
    time: z
      .object({
        signed_at: moment.meta({ description: "Proved only if the signature holds." }),
        skew_seconds: z.number().meta({ description: "Signed so long before it came; negative if after." }),
        tolerance_seconds: z.number().nullable(),
      })
      .nullable(),
    repeat: z
      .object({
        by: z.enum(["id", "unsigned_id", "body", "none"]),
        window_seconds: z.number().nullable(),
        key: z.string().nullable().meta({ description: "What is compared with other deliveries." }),
      })
      .nullable()
      .meta({ description: "On what it was decided whether it is a repeat; null for a refused delivery." }),
  })
  .meta({ id: "verification_trace", examples: [exampleRefusalTrace] });
