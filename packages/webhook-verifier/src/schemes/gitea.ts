import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const gitea: Scheme = definePlainScheme({
  name: "gitea",
  title: "Gitea",
  headers: ["x-gitea-event-type", "x-gitea-hook-installation-target-type"],
  credentials: ["header:x-gogs-signature", "header:x-hub-signature", "header:x-hub-signature-256"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Gitea-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-gitea-delivery",
  type: "header:x-gitea-event",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you set on the webhook (repository settings, Webhooks).",
  confidence: "confirmed",
  source: "https://github.com/go-gitea/gitea/blob/main/services/webhook/deliver.go",
  promises: { source: "https://github.com/go-gitea/gitea/blob/main/services/webhook/deliver.go" },
  repeats: {
    source: "https://github.com/go-gitea/gitea/blob/main/models/webhook/hooktask.go",
    note: "A delivery that somebody asks for again has an id of its own, and runs again.",
  },
  notes: [
    "Make the webhook with JSON as content type: in a form Gitea signs the JSON before it is put there.",
    "Forgejo sends the same header beside its own `X-Forgejo-Signature`.",
  ],
};
