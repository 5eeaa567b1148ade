import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { itemsAt } from "../items.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const pusher: Scheme = definePlainScheme({
  name: "pusher",
  title: "Pusher Channels",
  promises: { id: "absent", type: "usual" },
  headers: ["x-pusher-key"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Pusher-Signature", encoding: hex },
  keyIdHeader: "X-Pusher-Key",
  signed: "{body}",
  timestamp: { body: "time_ms", unit: "ms" },
  repeats: [sameBody(hour)],
  items: itemsAt("events", { type: "name" }),
});

export const facts: SchemeFacts = {
  keyFrom: "Pusher dashboard, the app, App Keys: the secret; give its key as `id` where you have several.",
  confidence: "confirmed",
  source: "https://github.com/pusher/pusher-http-node/blob/master/lib/webhook.js",
  repeats: {
    source: "https://pusher.com/docs/channels/server_api/webhooks/",
    note: "`time_ms` keeps equal events apart. Pusher tries again for five minutes.",
  },
  notes: ["Pusher names no window; set `toleranceSeconds` if you want one."],
};
