import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import type { KeyText } from "../keys/key.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const secret = textSecret("hmac-sha256");

/** The key without the environment in front of it: `signkey-prod-`. */
const bare = (key: KeyText): KeyText => (typeof key === "string" ? key.replace(/^signkey-\w+-/, "") : key);

export const inngest: Scheme = definePairsScheme({
  name: "inngest",
  title: "Inngest",
  key: { ...secret, verifying: (key) => secret.verifying(bare(key)) },
  signature: {
    header: "X-Inngest-Signature",
    encoding: hex,
    pairs: { separator: "&", timestamp: "t", signature: "s" },
  },
  signed: "{body}{timestamp}",
  timestamp: { unit: "s", toleranceSeconds: 300 },
  type: "body:event.name",
  promises: { id: "absent", type: "usual" },
  repeats: [noRepeat],
  data: "event",
  metadata: { attempt: "body:ctx.attempt" },
});

export const facts: SchemeFacts = {
  keyFrom: "Inngest, the environment, Manage, Signing key (`signkey-…`); the fallback key as a second one.",
  confidence: "confirmed",
  source: "https://github.com/inngest/inngest/blob/main/docs/SDK_SPEC.md",
  repeats: {
    source: "https://github.com/inngest/inngest/blob/main/docs/SDK_SPEC.md",
    why: "A run is called again for each of its steps and attempts, and every call is to be answered.",
  },
  notes: [
    "Inngest waits for the answer of a call, which must be what its specification says: answer it yourself, or leave the calls to its SDK.",
    "Where a proxy has written the JSON of a body anew, its signature no longer fits.",
    "The signing key is used as text, without `signkey-…-` before it.",
  ],
};
