import { timestampOf } from "@postern/core/internal";
import type { VerificationTrace } from "@postern/webhook-verifier";
import type { z } from "zod";
import type { verificationTrace } from "./wire/trace.ts";

const repeatNames = { "signed-id": "id", "unsigned-id": "unsigned_id", body: "body", none: "none" } as const;

/** How a caller sees a trace: without values of the request if they may not see payloads. */
export const presentTrace = (trace: VerificationTrace, isMasked: boolean): z.infer<typeof verificationTrace> => {
  const { keys, time, repeat } = trace;
  const shown = (value: string | undefined): string | null => (isMasked ? null : (value ?? null));
  return {
    scheme: trace.scheme === "" ? null : trace.scheme,
    valid: trace.valid,
    code: trace.code ?? null,
    message: trace.message ?? null,
    hint: trace.hint ?? null,
    headers: trace.headers.map(({ name, length, value }) => ({ name, length: length ?? null, value: shown(value) })),
    signatures: trace.signatures ?? null,
    covered: [...trace.covered],
    content: trace.content ?? null,
    signed: trace.signed ?? null,
    body: trace.body ?? null,
    keys:
      keys === undefined
        ? null
        : {
            tried: keys.tried ?? null,
            named: keys.named ?? null,
            matched: keys.matched ?? null,
            id: keys.id ?? null,
          },
    time:
      time === undefined
        ? null
        : {
            signed_at: timestampOf(time.signedAt),
            skew_seconds: time.skewSeconds,
            tolerance_seconds: time.toleranceSeconds ?? null,
          },
    repeat:
      repeat === undefined
        ? null
        : { by: repeatNames[repeat.by], window_seconds: repeat.windowSeconds ?? null, key: shown(repeat.key) },
  };
};
