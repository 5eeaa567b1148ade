import { defineScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme } from "../scheme.ts";

/**
 * Gitea and Forgejo: `X-Gitea-Signature: <hex>`, HMAC-SHA256 over the body. Known from other libraries and guides;
 * the sender's own documentation could not be read.
 */
export const gitea: Scheme = defineScheme({
  name: "gitea",
  facts: {
    title: "Gitea",
    keyFrom: "The secret you set on the webhook (repository settings, Webhooks).",
    confidence: "second-hand",
    source: "https://docs.gitea.com/usage/webhooks",
    notes: ["Forgejo sends the same header beside its own `X-Forgejo-Signature`."],
  },
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Gitea-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-gitea-delivery",
  type: "header:x-gitea-event",
});
