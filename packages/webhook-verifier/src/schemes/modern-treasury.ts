import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const modernTreasury: Scheme = definePlainScheme({
  name: "modern-treasury",
  title: "Modern Treasury",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Signature", encoding: hex },
  signed: "{body}",
  type: "body:event",
  promises: { id: "absent", type: "promised" },
  data: "data",
  repeats: [sameBody(3 * day)],
});

export const facts: SchemeFacts = {
  keyFrom: "Modern Treasury, Developers, Webhooks, the webhook key.",
  confidence: "confirmed",
  source: "https://github.com/Modern-Treasury/modern-treasury-node/blob/main/src/resources/webhooks.ts",
  repeats: {
    source: "https://docs.moderntreasury.com/platform/reference/webhooks",
    confidence: "second-hand",
    note: "Bodies hold the time of the last change. The time of retries is not documented; three days are ours.",
  },
};
