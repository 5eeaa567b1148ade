import { emptyAnswer } from "../answers.ts";
import { definePairsScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const moneybird: Scheme = definePairsScheme({
  name: "moneybird",
  title: "Moneybird",
  methods: ["HEAD"],
  key: textSecret("hmac-sha256"),
  signature: {
    header: "Moneybird-Signature",
    encoding: hex,
    pairs: { separator: ",", timestamp: "t", signature: "v1" },
  },
  timestamp: { unit: "s", toleranceSeconds: 300 },
  signed: "{timestamp}.{body}",
  type: "body:action",
  promises: { id: "absent", type: "promised" },
  repeats: [sameBody(3 * day)],
  keyComes: "check",
  handshakes: [{ by: "POST" }, { by: "GET" }, { by: "HEAD" }],
  handshake: ({ method }, { awaitsKey }) => (awaitsKey || method === "GET" ? emptyAnswer(200) : undefined),
});

export const facts: SchemeFacts = {
  keyFrom: "The signing secret in the answer to making the webhook.",
  confidence: "confirmed",
  source: "https://developer.moneybird.com/webhooks/verifying-signatures",
  handshake: "any request before you have the secret, and every GET and HEAD: 200",
  repeats: {
    source: "https://developer.moneybird.com/webhooks/getting-started",
    note: "The body holds the entity with its version and times. Moneybird tries ten more times, ever later, signed anew; three days are ours.",
  },
  notes: [
    "Moneybird calls the URL while a webhook is made, needs 200, and gives the secret only then. Make the verifier with `keys: []` until you have it. Every request is then answered 200 and none is delivered, so make the webhook and give the secret in one go.",
    "While a secret is rotated, every active one signs. Moneybird names no window; five minutes is ours.",
  ],
};
