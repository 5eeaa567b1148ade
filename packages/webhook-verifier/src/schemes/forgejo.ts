import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const forgejo: Scheme = definePlainScheme({
  name: "forgejo",
  title: "Forgejo (Codeberg)",
  headers: ["x-forgejo-event-type"],
  credentials: [
    "header:x-gitea-signature",
    "header:x-gogs-signature",
    "header:x-hub-signature",
    "header:x-hub-signature-256",
  ],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Forgejo-Signature", encoding: hex },
  signed: "{body}",
  id: "header:x-forgejo-delivery",
  type: "header:x-forgejo-event",
  promises: { id: "promised", type: "promised" },
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The secret you gave the webhook.",
  confidence: "second-hand",
  source: "https://forgejo.org/docs/latest/user/webhooks/",
  repeats: {
    source: "https://codeberg.org/forgejo/forgejo/src/branch/forgejo/models/webhook/hooktask.go",
    confidence: "second-hand",
    note: "A delivery that somebody asks for again has an id of its own, and runs again.",
  },
};
